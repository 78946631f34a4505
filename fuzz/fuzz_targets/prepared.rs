//! Reads arbitrary bytes as a prepared map, unchanged and with a valid header: never a panic.
#![no_main]

use import::prepared;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = prepared::decode(bytes);
    if let Ok(prepared) = prepared::decode(&prepared::sealed(bytes)) {
        let map = prepared.imported.map;
        for street in map.streets() {
            let middle = map.street(street).length.part(0.5);
            let point = map.point(meshcloak::map::Position { street, offset: middle });
            map.snap(point, None);
        }
    }
});
