use super::grid::Cell;
use super::*;
use crate::testing::Scene;
use meshcloak::query::Query;

fn settings(seed: u64) -> L2p2Settings {
    L2p2Settings {
        requirement: if seed.is_multiple_of(2) {
            Requirement::Enhanced
        } else {
            Requirement::Basic
        },
        cell: [60.0, 150.0, 400.0][seed as usize % 3],
        share: [0.0, 0.1, 0.5][seed as usize / 3 % 3],
        factor: 1 + seed as u32 % 3,
        seed,
    }
}

/// All rectangles of a grid.
fn all_rectangles(columns: usize, rows: usize) -> impl Iterator<Item = CellRectangle> {
    let spans = |count: usize| (0..count).flat_map(move |a| (a..count).map(move |b| (a, b)));
    spans(columns).flat_map(move |(left, right)| {
        spans(rows).map(move |(bottom, top)| CellRectangle {
            min: Cell { column: left, row: bottom },
            max: Cell { column: right, row: top },
        })
    })
}

fn area(rectangle: CellRectangle) -> usize {
    let CellRectangle { min, max } = rectangle;
    (max.column + 1 - min.column) * (max.row + 1 - min.row)
}

#[test]
fn the_published_rectangle_is_a_smallest_one_that_meets_all_requirements() {
    let (mut served, mut raised) = (0, 0);
    for scene in Scene::many().take(250) {
        let settings = settings(scene.seed);
        let map = &scene.town.map;
        let mut scheme = L2p2::new(Arc::clone(&scene.atlas), settings);
        let grid = scheme.requirements.clone();
        if grid.columns * grid.rows > 60 {
            continue;
        }
        let all: Vec<CellRectangle> = all_rectangles(grid.columns, grid.rows).collect();
        let users = scene.first_queries();
        let cell = |query: &Query| grid.cell(map.point(query.position));
        let is_inside = |rectangle: CellRectangle, cell: Cell| {
            (rectangle.min.column..=rectangle.max.column).contains(&cell.column)
                && (rectangle.min.row..=rectangle.max.row).contains(&cell.row)
        };
        for (query, shown) in scene.state.waiting.iter().zip(scene.cloaked(&mut scheme)) {
            if !users.iter().any(|user| user.id == query.id) {
                assert!(shown.is_none());
                continue;
            }
            let own = cell(query);
            // Reference: all rectangles, with requirements and users counted cell by cell.
            let count = |rectangle: CellRectangle| {
                users.iter().filter(|user| is_inside(rectangle, cell(user))).count() as u32
            };
            let required = |rectangle: CellRectangle| {
                let cells =
                    all.iter().filter(|r| r.min == r.max).map(|r| r.min).filter(
                        |&c| match settings.requirement {
                            Requirement::Basic => c == own,
                            Requirement::Enhanced => is_inside(rectangle, c),
                        },
                    );
                query.k * cells.map(|cell| grid.factor_of(cell)).max().unwrap_or(1)
            };
            let around = all.iter().copied().filter(|r| is_inside(*r, own));
            let enough = around.filter(|&r| count(r) >= query.k && count(r) >= required(r));
            let best = enough.map(|r| (area(r), count(r))).min();
            let found = shown.map(|(members, region)| {
                let Region::Rectangle(rectangle) = region else { panic!("rectangles") };
                let same = |r: &CellRectangle| grid.rectangle(*r) == rectangle;
                let cells = all.iter().copied().find(same).unwrap();
                assert!(count(cells) >= required(cells) && is_inside(cells, own));
                raised += usize::from(required(cells) > query.k);
                (area(cells), members.len() as u32)
            });
            assert_eq!(found, best, "seed {} {query:?}\n{}", scene.seed, scene.town);
            served += usize::from(found.is_some());
        }
    }
    assert!(served > 500 && raised > 50, "{served} {raised}");
}

#[test]
fn a_cell_holds_its_points() {
    for scene in Scene::many() {
        let grid = RequirementGrid::new(&scene.town.map, &settings(scene.seed));
        for query in &scene.state.waiting {
            let cell = grid.cell(scene.town.map.point(query.position));
            let rectangle = grid.rectangle(CellRectangle { min: cell, max: cell });
            assert!(Region::Rectangle(rectangle).contains(&scene.town.map, query.position));
        }
    }
}

#[test]
fn the_share_of_sensitive_cells_is_as_given() {
    let scene = Scene::random(7);
    for share in [0.0, 0.3, 1.0] {
        let settings = L2p2Settings { cell: 50.0, share, factor: 2, ..settings(2) };
        let grid = RequirementGrid::new(&scene.town.map, &settings);
        let cells = (0..grid.columns)
            .flat_map(|column| (0..grid.rows).map(move |row| Cell { column, row }));
        let cells: Vec<Cell> = cells.collect();
        let sensitive = cells.iter().filter(|&&cell| grid.factor_of(cell) == 2).count();
        let found = sensitive as f64 / cells.len() as f64;
        assert!((found - share).abs() < 0.15, "{found} of {} for {share}", cells.len());
    }
}
