//! People who move on streets and ask.

pub mod matching;
pub mod traces;
