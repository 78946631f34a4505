//! The experiment of §V of the paper: every table and figure with 100,000 users and three seeds.

use super::{Experiment, ExperimentGrid, TimeModel, Tolerances, Volume};
use crate::maps::EVERY_NODE;
use crate::schemes::PAPER;

/// Random seeds of every table and figure.
const SEEDS: [u64; 3] = [1, 2, 3];

impl Experiment {
    /// Returns the experiment of §V of the paper.
    pub fn paper() -> Experiment {
        Experiment {
            title: "Evaluation as in §V of the paper".to_owned(),
            is_paper: true,
            matrix_map: "porto".to_owned(),
            grids: [
                &[figures(), late_arrivals(), printed_meshes(), printed_meshes_of_every_node()][..],
                &[table_iv(), table_iv_in_real_time(), fewer_users(), iclique_cloak()],
                &volume(),
            ]
            .concat(),
        }
    }

    /// Keeps the maps among `given`. If no grid has any of them, all grids get `given` instead.
    pub fn restrict_maps(&mut self, given: &[String]) {
        let is_given = |map: &String| given.iter().any(|name| *name == base_name(map));
        if self.grids.iter().any(|grid| grid.maps.iter().any(is_given)) {
            self.grids.iter_mut().for_each(|grid| grid.maps.retain(is_given));
        } else {
            self.grids.iter_mut().for_each(|grid| grid.maps = given.to_vec());
        }
        let is_kept = given.contains(&self.matrix_map);
        if !is_kept {
            self.matrix_map = given.first().cloned().unwrap_or_default();
        }
    }
}

/// Name of a map without the suffix that makes every node a terminal.
fn base_name(map: &str) -> String {
    map.strip_suffix(EVERY_NODE).unwrap_or(map).to_owned()
}

fn base() -> ExperimentGrid {
    ExperimentGrid { seeds: SEEDS.to_vec(), ..ExperimentGrid::default() }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn dt(millis: &[u32]) -> Tolerances {
    Tolerances { all: Some(millis.to_vec()), ..Tolerances::default() }
}

/// All figures: answers, and times in the timing pass.
fn figures() -> ExperimentGrid {
    ExperimentGrid { views: vec![TimeModel::Unlimited, TimeModel::Timed], ..base() }
}

/// Query volume of the configurations that are drawn; they are among the figures.
fn volume() -> [ExperimentGrid; 4] {
    let drawn = [("p1", 5, 3000), ("p1", 10, 5000), ("p2", 5, 3000), ("p2", 10, 10_000)];
    drawn.map(|(profile, k, tolerance)| ExperimentGrid {
        profiles: texts(&[profile]),
        k: vec![(2, k)],
        dt: dt(&[tolerance]),
        volume: Volume::BySecond,
        ..base()
    })
}

/// The other reading of arrivals.
fn late_arrivals() -> ExperimentGrid {
    ExperimentGrid { views: vec![TimeModel::After], ..base() }
}

/// Algorithm 3 as printed. The length of a mesh hardly depends on dt, so one dt is enough.
fn printed_meshes() -> ExperimentGrid {
    ExperimentGrid { schemes: texts(&["meshcloak/paper/printed"]), dt: dt(&[3000]), ..base() }
}

/// Both meshes on the maps that can have a terminal at every node. Files of Brinkhoff have one there
/// already; that of Paris lists junctions only.
fn printed_meshes_of_every_node() -> ExperimentGrid {
    let osm = ["porto", "porto-alegre"].map(|map| format!("{map}{EVERY_NODE}"));
    let schemes = texts(&[PAPER, "meshcloak/paper/printed"]);
    ExperimentGrid { maps: osm.to_vec(), schemes, dt: dt(&[3000]), ..base() }
}

/// Maps, profile, k and dt of Table IV.
fn of_table_iv() -> ExperimentGrid {
    ExperimentGrid {
        maps: texts(&["oldenburg", "porto-alegre"]),
        profiles: texts(&["p1"]),
        k: vec![(2, 5)],
        dt: dt(&[3000, 5000]),
        ..base()
    }
}

/// Table IV. The batch itself is among the figures.
fn table_iv() -> ExperimentGrid {
    let schemes = texts(&["meshcloak-printed", "sequential", "sequential-edges", "clique-cloak"]);
    ExperimentGrid { schemes, views: vec![TimeModel::Timed], ..of_table_iv() }
}

/// Success when processing takes time.
fn table_iv_in_real_time() -> ExperimentGrid {
    let schemes = texts(&[PAPER, "sequential"]);
    ExperimentGrid { schemes, views: vec![TimeModel::RealTime], ..of_table_iv() }
}

/// Growth of the graph time with the number of users; the largest number is among the figures.
fn fewer_users() -> ExperimentGrid {
    ExperimentGrid {
        maps: texts(&["oldenburg"]),
        users: vec![10_000, 30_000],
        k: vec![(2, 5)],
        dt: dt(&[3000]),
        views: vec![TimeModel::Timed],
        ..base()
    }
}

/// Areas of ICliqueCloak, for which the paper gives no number of users.
fn iclique_cloak() -> ExperimentGrid {
    ExperimentGrid {
        maps: texts(&["oldenburg"]),
        users: vec![10_000],
        profiles: texts(&["p1"]),
        k: vec![(2, 5)],
        dt: dt(&[3000]),
        schemes: texts(&["i-clique-cloak"]),
        ..base()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_and_figure_has_all_users_and_three_seeds() {
        let paper = Experiment::paper();
        let sizes: Vec<&[u32]> = paper.grids.iter().map(|grid| &grid.users[..]).collect();
        assert!(sizes[..6].iter().all(|users| *users == [100_000]), "{sizes:?}");
        assert_eq!(paper.grids[0].maps, crate::maps::PAPER);
        assert!(paper.grids.iter().all(|grid| grid.seeds == SEEDS));
        // The volume adds no run.
        let cells = |experiment: &Experiment| {
            let cells = crate::grid::cells(experiment, Some("maps".as_ref())).unwrap();
            cells.iter().map(crate::grid::GridCell::key).collect::<Vec<_>>()
        };
        let without = Experiment { grids: paper.grids[..8].to_vec(), ..paper.clone() };
        assert_eq!(cells(&paper), cells(&without));
    }

    #[test]
    fn given_maps_keep_the_grids_that_have_them() {
        let mut some = Experiment::paper();
        some.restrict_maps(&texts(&["porto"]));
        let maps: Vec<usize> = some.grids.iter().map(|grid| grid.maps.len()).collect();
        assert_eq!(maps, [1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(some.grids[3].maps, ["porto@every-node"]);
        let mut own = Experiment::paper();
        own.restrict_maps(&texts(&["city:500:7"]));
        assert!(own.grids.iter().all(|grid| grid.maps == ["city:500:7"]));
        assert_eq!((&*some.matrix_map, &*own.matrix_map), ("porto", "city:500:7"));
    }
}
