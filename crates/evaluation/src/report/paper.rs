//! Numbers printed in the paper, and the maps of this evaluation that replace the paper's maps.

/// A column of the paper's Table II.
pub(super) struct PaperMap {
    /// Map of this evaluation that replaces it.
    pub ours: &'static str,
    pub name: &'static str,
    pub nodes: u64,
    pub edges: u64,
    pub width_km: f64,
    pub height_km: f64,
    pub area_km2: f64,
    pub street_km: f64,
    /// How the replacement differs.
    pub difference: &'static str,
}

/// Table II.
pub(super) const MAPS: [PaperMap; 5] = [
    PaperMap {
        ours: "oldenburg",
        name: "Oldenburg",
        nodes: 6_105,
        edges: 7_029,
        width_km: 23.57,
        height_km: 26.92,
        area_km2: 634.44,
        street_km: 1_301.70,
        difference: "The same map. The paper sums the lengths of all 7,035 lines of the file, six of \
                     which repeat a pair of nodes.",
    },
    PaperMap {
        ours: "porto-alegre",
        name: "Hanoi",
        nodes: 27_213,
        edges: 31_562,
        width_km: 11.97,
        height_km: 12.48,
        area_km2: 149.40,
        street_km: 1_531.64,
        difference: "A different city of similar extent and street length; 36 % of its streets are \
                     one-way.",
    },
    PaperMap {
        ours: "paris",
        name: "Paris-zone1",
        nodes: 42_494,
        edges: 63_722,
        width_km: 18.87,
        height_km: 10.20,
        area_km2: 192.47,
        street_km: 4_344.18,
        difference: "The extract ends at the ring road and its nodes are junctions only: a quarter of \
                     the nodes and a third of the street length.",
    },
    PaperMap {
        ours: "porto",
        name: "Singapore",
        nodes: 54_674,
        edges: 74_053,
        width_km: 33.65,
        height_km: 16.14,
        area_km2: 543.11,
        street_km: 5_856.25,
        difference: "A different city with a similar number of nodes but a third of the area and \
                     street length: streets are shorter and users denser.",
    },
    PaperMap {
        ours: "stockton",
        name: "San Joaquin",
        nodes: 52_528,
        edges: 57_284,
        width_km: 22.97,
        height_km: 20.19,
        area_km2: 463.76,
        street_km: 2_853.83,
        difference: "A different extract of the same county: Stockton, with more nodes and shorter \
                     streets.",
    },
];

/// Returns the paper's map that the map `ours` replaces.
pub(super) fn map(ours: &str) -> Option<&'static PaperMap> {
    MAPS.iter().find(|map| map.ours == ours)
}

/// A row of the paper's Table IV: dt in seconds, times in ms/query.
pub(super) struct PaperTimes {
    pub ours: &'static str,
    pub dt: f64,
    pub batch_ms: f64,
    pub sequential_ms: f64,
    pub ratio: f64,
}

/// Table IV: P1, k ≤ 5.
pub(super) const TIMES: [PaperTimes; 4] = [
    PaperTimes { ours: "oldenburg", dt: 3.0, batch_ms: 0.0137, sequential_ms: 8.09, ratio: 590.0 },
    PaperTimes { ours: "oldenburg", dt: 5.0, batch_ms: 0.0184, sequential_ms: 12.70, ratio: 690.0 },
    PaperTimes {
        ours: "porto-alegre",
        dt: 3.0,
        batch_ms: 0.0338,
        sequential_ms: 10.06,
        ratio: 298.0,
    },
    PaperTimes {
        ours: "porto-alegre",
        dt: 5.0,
        batch_ms: 0.0410,
        sequential_ms: 13.32,
        ratio: 325.0,
    },
];

/// Table I: scheme, then the paper's setting, clique search and distance constraint.
pub(super) const SCHEMES: [(&str, [&str; 3]); 3] = [
    (crate::schemes::PAPER, ["Map-based", "Batch by Tomita", "v × Δt"]),
    ("clique-cloak", ["Free-space", "Local-search", "Provided by users"]),
    ("i-clique-cloak", ["Free-space", "Edge-based incremental", "v × Δt"]),
];

/// Returns the title of a map: built-in names are capitalised, others stay as they are.
pub(super) fn map_title(name: &str) -> String {
    if !crate::maps::NAMES.iter().any(|(known, _)| *known == name) {
        return name.to_owned();
    }
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    name.split('-').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_ratios_agree_with_printed_times() {
        for row in TIMES {
            let ratio = row.sequential_ms / row.batch_ms;
            assert!((ratio - row.ratio).abs() / row.ratio < 0.01, "{} {ratio}", row.ours);
        }
    }

    #[test]
    fn every_map_of_the_paper_is_replaced_and_its_area_is_width_times_height() {
        for name in crate::maps::PAPER {
            let map = map(name).unwrap();
            assert!((map.width_km * map.height_km / map.area_km2 - 1.0).abs() < 0.01, "{name}");
        }
        assert_eq!(map_title("porto-alegre"), "Porto Alegre");
        assert_eq!(map_title("city:500:7"), "city:500:7");
    }
}
