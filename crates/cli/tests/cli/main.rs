//! The program from end to end: what people type, what they get, what is left behind.

mod commands;
mod program;
mod real_maps;
mod simulate;
