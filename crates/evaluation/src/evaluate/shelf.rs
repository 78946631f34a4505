//! Tapes that are in use: each is made once, when the first cell needs it, and dropped with the
//! last, so that few are in memory however many there are.

use crate::grid::{Cell, Crowd};
use crate::tape::Tape;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct Shelf {
    places: Vec<(Crowd, Mutex<Place>)>,
}

struct Place {
    tape: Option<Arc<Tape>>,
    /// How many cells still need it.
    needed: usize,
}

impl Shelf {
    pub(super) fn new(cells: &[&Cell]) -> Shelf {
        let mut places: Vec<(Crowd, Mutex<Place>)> = Vec::new();
        for cell in cells {
            match places.iter_mut().find(|(crowd, _)| *crowd == cell.crowd) {
                Some((_, place)) => {
                    place.get_mut().unwrap_or_else(PoisonError::into_inner).needed += 1;
                }
                None => {
                    let place = Place { tape: None, needed: 1 };
                    places.push((cell.crowd.clone(), Mutex::new(place)));
                }
            }
        }
        Shelf { places }
    }

    fn place(&self, crowd: &Crowd) -> &Mutex<Place> {
        let found = self.places.iter().find(|(known, _)| known == crowd);
        &found.expect("every cell has put its crowd on the shelf").1
    }

    /// The tape of a crowd; whoever needs it while it is made waits.
    pub(super) fn take<E>(
        &self,
        crowd: &Crowd,
        make: impl FnOnce() -> Result<Tape, E>,
    ) -> Result<Arc<Tape>, E> {
        let mut place = self.place(crowd).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tape) = &place.tape {
            return Ok(Arc::clone(tape));
        }
        let tape = Arc::new(make()?);
        place.tape = Some(Arc::clone(&tape));
        Ok(tape)
    }

    /// A cell no longer needs the tape of its crowd.
    pub(super) fn give_back(&self, crowd: &Crowd) {
        let mut place = self.place(crowd).lock().unwrap_or_else(PoisonError::into_inner);
        place.needed = place.needed.saturating_sub(1);
        if place.needed == 0 {
            place.tape = None;
        }
    }
}
