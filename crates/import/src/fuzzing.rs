//! Entry points of the fuzz targets and the mutation tests: any bytes in, no panic.

use crate::draft::Draft;
use crate::error::ImportError;
use crate::input::Input;
use crate::shapefile_map::Sources;
use crate::{brinkhoff, csv_map};
use meshcloak::map::{Extent, StreetMap};
use std::io::Cursor;
use std::path::Path;

/// Reads a CSV map from its tables of nodes, streets and points of interest, separated by zero
/// bytes.
pub fn csv_map(bytes: &[u8]) -> Option<StreetMap> {
    let mut parts = bytes.splitn(3, |&byte| byte == 0).map(<[u8]>::to_vec);
    let nodes = Input::from_bytes("nodes", parts.next()?);
    let streets = Input::from_bytes("streets", parts.next().unwrap_or_default());
    let pois = parts.next().map(|bytes| Input::from_bytes("pois", bytes));
    csv_map::detect_table(bytes);
    let files = csv_map::CsvFiles { nodes, streets, pois };
    build(csv_map::read_tables(files, None, |input, _| Ok(input)))
}

/// Reads a Brinkhoff map: two bytes length of the node file (big-endian), the node file, the edge
/// file.
pub fn brinkhoff(bytes: &[u8]) -> Option<StreetMap> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
    let (nodes, edges) = rest.split_at(length);
    brinkhoff::detect_nodes(nodes);
    brinkhoff::detect_edges(edges);
    let input = |name, bytes: &[u8]| Input::from_bytes(name, bytes.to_vec());
    build(brinkhoff::read_inputs(input("nodes", nodes), input("edges", edges)))
}

/// Reads a shapefile: two bytes length of the main file (big-endian), the main file, the attribute
/// table.
pub fn shapefile(bytes: &[u8]) -> Option<StreetMap> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
    let (shapes, attributes) = rest.split_at(length);
    let (shapes, attributes) = (Cursor::new(shapes), Cursor::new(attributes));
    let sources = Sources { shapes, attributes, reference_system: None };
    build(sources.read(&()).map_err(|(_, found)| found.of(Path::new("shapefile"))))
}

/// Builds the whole map of a draft and its largest component. Errors must have a message.
fn build(draft: Result<Draft, ImportError>) -> Option<StreetMap> {
    match draft {
        Ok(draft) => {
            let whole = draft.builder.clone().build(Extent::Whole).ok()?;
            let _largest = draft.builder.build(Extent::LargestPart).ok()?;
            Some(whole.map)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{brinkhoff, csv_map, shapefile};
    use crate::shapefile_map::tests::written;
    use meshcloak::map::StreetMap;
    use meshcloak::town::Town;
    use rand::RngExt as _;

    const CSV: [&str; 2] = [
        "id,x,y,lon,lat\nA,0,0,2,48\nB,745,0,2.01,48\nC,0,1112,2,48.01\n\0\
         id,from,to,length,oneway,shape,name,class\n\
         s,A,B,900,1,\"LINESTRING (0 0, 10 20, 745 0)\",\"a \"\"b\"\"\",service\nt,B,C,,,,,\n\0\
         id,x,y,category,name\n1,5,5,cafe,Élise\n",
        "\u{feff}id,lon,lat\r\nA,2,48\r\nB,2.01,48\r\n\0id,from,to,shape\r\n\
         s,A,B,\"LINESTRING (2 48, 2.005 48.1, 2.01 48)\"\r\n\0lon,lat,cat\r\n2,48,cafe",
    ];

    fn brinkhoff_maps() -> [Vec<u8>; 2] {
        let text =
            (&b"1\t0 0 *\n2\t100 0 *\n7\t9 75 *\n"[..], &b"11 3 1 2 *\n12 0 2 7 Main St\n"[..]);
        let mut nodes = Vec::new();
        for (id, side) in [(1_i64, 0_i32), (2, 100), (7, -75)] {
            nodes.extend_from_slice(b"\x01*");
            nodes.extend_from_slice(&id.to_be_bytes());
            nodes.extend_from_slice(&[side.to_be_bytes(), 5_i32.to_be_bytes()].concat());
        }
        let mut edges = Vec::new();
        for (from, to) in [(1_i64, 2_i64), (2, 7)] {
            edges.extend_from_slice(&[from.to_be_bytes(), to.to_be_bytes()].concat());
            edges.extend_from_slice(b"\x01*");
            edges.extend_from_slice(&(from * 9).to_be_bytes());
            edges.extend_from_slice(&3_i32.to_be_bytes());
        }
        [text, (&nodes[..], &edges[..])]
            .map(|(nodes, edges)| [&(nodes.len() as u16).to_be_bytes()[..], nodes, edges].concat())
    }

    /// Applies one to three random flips, cuts, insertions or repetitions.
    fn mutate(bytes: &mut Vec<u8>, random: &mut impl rand::Rng) {
        const ODD: [u8; 14] = *b"\0\n\r,\"(-.e9\xff\x80 \x1f";
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..=bytes.len());
            match random.random_range(0..6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
                1 if at < bytes.len() => bytes[at] = ODD[random.random_range(0..ODD.len())],
                2 => bytes.insert(at, ODD[random.random_range(0..ODD.len())]),
                3 => bytes.truncate(at),
                4 => {
                    let end = random.random_range(at..=bytes.len());
                    bytes.drain(at..end.min(at + 8));
                }
                _ => {
                    let piece = bytes[at..].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
    }

    #[track_caller]
    fn assert_no_panic(map: &[u8], read: fn(&[u8]) -> Option<StreetMap>) {
        assert!(read(map).is_some(), "the unchanged map is valid");
        let mut read_maps = 0;
        for seed in 0..8000 {
            let (mut bytes, mut random) = (map.to_vec(), Town::generator(seed));
            mutate(&mut bytes, &mut random);
            read_maps += usize::from(read(&bytes).is_some());
        }
        for length in 0..map.len() {
            read(&map[..length]);
        }
        assert!((100..7900).contains(&read_maps), "{read_maps} of 8000 are valid maps");
    }

    #[test]
    fn no_mutation_of_a_csv_map_panics() {
        CSV.iter().for_each(|map| assert_no_panic(map.as_bytes(), csv_map));
    }

    #[test]
    fn no_mutation_of_a_brinkhoff_map_panics() {
        brinkhoff_maps().iter().for_each(|map| assert_no_panic(map, brinkhoff));
    }

    #[test]
    fn no_mutation_of_a_shapefile_panics() {
        let texts = |id: &str| [id, "B", "Rue de Élise", "service"].map(str::to_owned);
        let (shapes, attributes) = written(&[
            (vec![vec![(2.0, 48.0), (2.01, 48.0), (2.02, 48.01)]], texts("7")),
            (vec![vec![(2.01, 48.0), (2.0, 48.02)], vec![(2.0, 48.0), (2.0, 48.02)]], texts("")),
        ]);
        let length = (shapes.len() as u16).to_be_bytes();
        assert_no_panic(&[&length[..], &shapes, &attributes].concat(), shapefile);
    }
}
