//! `meshcloak map cells` measures lengths of cells and suggests one.

use crate::program::meshcloak;

#[test]
fn a_length_of_cells_is_suggested() {
    let arguments = ["map", "cells", "city:500:7", "--users", "400", "--shortest", "500"];
    let found = meshcloak(&[&arguments[..], &["--json"]].concat()).json();
    let lengths = found["lengths"].as_array().unwrap();
    assert_eq!(lengths.len(), 6);
    let figure = |index: usize, name: &str| lengths[index][name].as_f64().unwrap();
    for (index, metres) in [500.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0].iter().enumerate()
    {
        assert_eq!(figure(index, "length"), *metres);
    }
    for index in 1..6 {
        assert!(figure(index, "cells") < figure(index - 1, "cells"), "{found}");
    }
    assert!(figure(5, "success_rate") > figure(0, "success_rate"), "longer cells serve more");
    assert!(figure(5, "region_metres") > figure(0, "region_metres"), "and publish more");
    // The suggestion by hand: the first that doubling improves by at most 1.5 %.
    let is_enough = |index: &usize| {
        let [this, next] = [0, 1].map(|more| figure(index + more, "success_rate"));
        next - this <= 0.015 * next
    };
    let expected = figure((0..5).find(is_enough).unwrap_or(5), "length");
    assert_eq!(found["suggestion"], expected);
    let table = meshcloak(&arguments).done().stdout;
    let sentence = format!("Suggestion for 400 users: engine.cell_length = {expected}");
    assert!(table.contains(&sentence), "{table}");
}
