//! A plain service in memory for tests: ranges in the plane with a limit, and a record of every
//! byte it was told.

use super::{Coming, Page, PlainService, Range, Row};
use parking_lot::Mutex;

/// Rows and how many of them are told at once.
pub(crate) struct Memory {
    pub rows: Vec<Row>,
    pub limit: usize,
    pub heard: Mutex<Vec<String>>,
}

impl Memory {
    pub(crate) fn new(rows: Vec<Row>, limit: usize) -> Memory {
        Memory { rows, limit, heard: Mutex::default() }
    }

    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().clone()
    }
}

impl PlainService for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn range<'a>(&'a self, range: Range<'a>) -> Coming<'a, Page> {
        self.heard.lock().push(format!("{range:?}"));
        let near = |row: &&Row| {
            let near =
                range.around.is_none_or(|(piece, metres)| piece.distance(row.point) <= metres);
            near && range.category.holds(&row.category)
        };
        let rows: Vec<Row> = self.rows.iter().filter(near).take(self.limit).cloned().collect();
        let full = rows.len() == self.limit;
        Box::pin(async move { Ok(Page { rows, full }) })
    }

    fn categories(&self) -> Coming<'_, Vec<String>> {
        let mut names: Vec<String> = self.rows.iter().map(|row| row.category.clone()).collect();
        names.sort();
        names.dedup();
        Box::pin(async move { Ok(names) })
    }
}
