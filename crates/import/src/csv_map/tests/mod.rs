//! CSV maps, read and written.

mod bad_input;
mod good_input;
mod round_trip;

use super::{CsvFiles, read_tables};
use crate::draft::Draft;
use crate::error::ImportError;
use crate::input::Input;

const NODES: &str = "id,x,y\nA,0,0\nB,100,0\nC,100,75\n";
const STREETS: &str = "id,from,to\ns1,A,B\ns2,B,C\n";

fn read(nodes: &str, streets: &str, pois: Option<&str>) -> Result<Draft, ImportError> {
    read_bytes(nodes.as_bytes(), streets.as_bytes(), pois.map(str::as_bytes))
}

fn read_bytes(nodes: &[u8], streets: &[u8], pois: Option<&[u8]>) -> Result<Draft, ImportError> {
    let input = |name, bytes: &[u8]| Input::from_bytes(name, bytes.to_vec());
    let inputs = CsvFiles {
        nodes: input("t.nodes.csv", nodes),
        streets: input("t.streets.csv", streets),
        pois: pois.map(|bytes| input("t.pois.csv", bytes)),
    };
    read_tables(inputs, None, |input, _| Ok(input))
}
