//! The program from end to end: what people type, what they get, what is left behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod attack;
mod bad_input;
mod cloak;
mod cloak_cells;
mod cloak_crowds;
mod cloak_guarantees;
mod commands;
mod desk;
mod documents;
mod evaluate;
mod golden;
mod pois;
mod program;
mod real_maps;
mod schemes;
mod score;
mod serve;
mod simulate;
mod slow_people;
mod traces;
