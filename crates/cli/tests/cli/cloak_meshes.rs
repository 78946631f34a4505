//! `cloak --meshes once` writes the region of a set once, and the files mean the same.

use crate::program::meshcloak;
use std::fs;

#[test]
fn outcomes_with_meshes_once_are_smaller_and_score_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let queries = path("q.csv");
    meshcloak(&["simulate", "city:500:7", "--users", "600", "--out", &queries]).done();
    let mut found = Vec::new();
    for meshes in ["each", "once"] {
        let out = path(meshes);
        let cloak = ["cloak", "city:500:7", "--queries", &queries, "--out", &out];
        meshcloak(&[&cloak[..], &["--meshes", meshes]].concat()).done();
        let score = ["score", "city:500:7", "--queries", &queries, "--outcomes", &out, "--json"];
        let attack = ["attack", "city:500:7", "--queries", &queries, "--outcomes", &out];
        let attack = meshcloak(&[&attack[..], &["--attacks", "D,A", "--json"]].concat()).json();
        let below = attack["schemes"][0]["attacks"].as_array().map(|attacks| {
            let figures =
                attacks.iter().map(|one| [&one["attack"], &one["below_k"]].map(Clone::clone));
            figures.collect::<Vec<_>>()
        });
        let text = fs::read_to_string(&out).unwrap();
        found.push((text, meshcloak(&score).json(), below));
    }
    let [each, once] = &found[..] else { panic!("two runs") };
    assert_eq!((&each.1, &each.2), (&once.1, &once.2));
    assert_eq!(each.0.lines().count(), once.0.lines().count());
    assert!(once.0.len() * 3 < each.0.len() * 2, "{} of {} bytes", once.0.len(), each.0.len());
    assert!(once.0.contains("\"like\":") && !each.0.contains("\"like\":"));
}
