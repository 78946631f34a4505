//! Walks along the streets of a map, and room for several at once.

use meshcloak::distance::{Atlas, Search, Ways};
use std::sync::{Arc, Mutex, PoisonError};

/// A map to walk on.
pub struct Walker {
    atlas: Arc<Atlas>,
    ways: Ways,
    searches: Mutex<Vec<Search>>,
}

impl Walker {
    /// Prepares walks on a map.
    pub fn new(atlas: Arc<Atlas>) -> Walker {
        let ways = Ways::forward(atlas.map());
        Walker { atlas, ways, searches: Mutex::default() }
    }

    /// The map.
    pub fn atlas(&self) -> &Arc<Atlas> {
        &self.atlas
    }

    /// Lends room for a search and the ways to search.
    pub fn search<T>(&self, with: impl FnOnce(&mut Search, &Ways) -> T) -> T {
        let searches = || self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = searches().pop();
        let mut search = lent.unwrap_or_else(|| Search::new(self.ways.terminal_count()));
        let result = with(&mut search, &self.ways);
        searches().push(search);
        result
    }
}
