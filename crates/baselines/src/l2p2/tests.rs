use super::grid::Cell;
use super::*;
use crate::testing::Scene;
use crate::{SchemeChoice, by_name};
use import::SensitivePlace;
use meshcloak::query::Query;
use meshcloak::town::Town;
use meshcloak::units::{Point, Rectangle};

fn settings(scene: &Scene) -> L2p2Settings {
    let seed = scene.seed;
    let factor = 1 + seed as u32 % 3;
    let sensitive = match seed % 4 {
        3 => SensitiveCells::Places(random_places(scene)),
        _ => SensitiveCells::Drawn { share: [0.0, 0.1, 0.5][seed as usize / 3 % 3], factor, seed },
    };
    L2p2Settings {
        deciding: if seed.is_multiple_of(2) { DecidingCells::Covered } else { DecidingCells::Own },
        cell: [60.0, 150.0, 400.0][seed as usize % 3],
        sensitive,
    }
}

/// Places with different factors on the streets of a scene.
fn random_places(scene: &Scene) -> Vec<SensitivePlace> {
    let mut random = Town::generator(scene.seed);
    let mut place = |factor: u32| SensitivePlace {
        point: scene.town.map.point(scene.town.position(&mut random)),
        radius: [0.0, 40.0, 200.0][factor as usize % 3],
        factor,
    };
    (1..6).map(&mut place).collect()
}

fn scheme(scene: &Scene) -> L2p2 {
    L2p2::new(Arc::clone(&scene.atlas), &settings(scene)).unwrap()
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
        let settings = settings(&scene);
        let map = &scene.town.map;
        let mut scheme = scheme(&scene);
        let requirements = scheme.requirements.clone();
        let grid = requirements.cells;
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
                        |&c| match settings.deciding {
                            DecidingCells::Own => c == own,
                            DecidingCells::Covered => is_inside(rectangle, c),
                        },
                    );
                query.k * cells.map(|cell| requirements.factor_of(cell)).max().unwrap_or(1)
            };
            let around = all.iter().copied().filter(|r| is_inside(*r, own));
            let enough = around.filter(|&r| count(r) >= query.k && count(r) >= required(r));
            let best = enough.map(|r| (area(r), count(r))).min();
            let found = shown.map(|(members, region)| {
                let stated = scheme.requirement(map, query, &region).users;
                let Region::Rectangle(rectangle) = region else { panic!("rectangles") };
                let same = |r: &CellRectangle| grid.rectangle(*r) == rectangle;
                let cells = all.iter().copied().find(same).unwrap();
                assert!(count(cells) >= required(cells) && is_inside(cells, own));
                assert_eq!(stated, required(cells), "seed {} {query:?}", scene.seed);
                raised += usize::from(required(cells) > query.k);
                (area(cells), members.len() as u32)
            });
            assert_eq!(found, best, "seed {} {query:?}\n{}", scene.seed, scene.town);
            served += usize::from(found.is_some());
        }
    }
    assert!(served > 500 && raised > 50, "{served} {raised}");
}

/// Rectangles one column or row larger, in the order left, right, below, above.
fn one_larger(grid: &CellGrid, rectangle: CellRectangle) -> Vec<CellRectangle> {
    let whole = |r: &CellRectangle| r.max.column < grid.columns && r.max.row < grid.rows;
    let CellRectangle { min, max } = rectangle;
    let left = min.column.checked_sub(1).map(|column| Cell { column, ..min });
    let below = min.row.checked_sub(1).map(|row| Cell { row, ..min });
    let right = Cell { column: max.column + 1, ..max };
    let above = Cell { row: max.row + 1, ..max };
    let left = left.map(|min| CellRectangle { min, max });
    let below = below.map(|min| CellRectangle { min, max });
    let others = [right, above].map(|max| Some(CellRectangle { min, max }).filter(whole));
    [left, others[0], below, others[1]].into_iter().flatten().collect()
}

#[test]
fn beyond_the_exhaustive_search_rectangles_grow_by_the_side_with_most_users_until_they_suffice() {
    let (mut grown, mut unserved) = (0, 0);
    for scene in Scene::many() {
        let settings = L2p2Settings { cell: 60.0, ..settings(&scene) };
        let mut scheme = L2p2::new(Arc::clone(&scene.atlas), &settings).unwrap();
        scene.cloaked(&mut scheme);
        let requirements = &scheme.requirements;
        let mut search = RectangleSearch::new(requirements, &scheme.user_grid, settings.deciding);
        search.max_area = 2;
        let point = |query: &Query| scene.town.map.point(query.position);
        let cells: Vec<Cell> = scene
            .first_queries()
            .iter()
            .map(|query| requirements.cells.cell(point(query)))
            .collect();
        let count = |CellRectangle { min, max }: CellRectangle| {
            let is_inside = |cell: &&Cell| {
                (min.column..=max.column).contains(&cell.column)
                    && (min.row..=max.row).contains(&cell.row)
            };
            cells.iter().filter(is_inside).count()
        };
        for (query, &own) in scene.first_queries().iter().zip(&cells) {
            let found = search.find(own, query.k);
            if found.is_some_and(|found| area(found) <= search.max_area) {
                continue;
            }
            // Reference: counts users one by one; of several sides the last one.
            let mut expected = Some(CellRectangle { min: own, max: own });
            while let Some(cells) = expected.filter(|&r| !search.suffices(own, query.k, r)) {
                let larger = one_larger(&requirements.cells, cells);
                expected = larger.into_iter().max_by_key(|&larger| count(larger));
            }
            assert_eq!(found, expected, "seed {} {query:?}\n{}", scene.seed, scene.town);
            *if found.is_some() { &mut grown } else { &mut unserved } += 1;
        }
    }
    assert!(grown > 1_000 && unserved > 300, "{grown} {unserved}");
}

#[test]
fn a_cell_holds_its_points() {
    for scene in Scene::many() {
        let grid = scheme(&scene).requirements.cells;
        for query in &scene.state.waiting {
            let cell = grid.cell(scene.town.map.point(query.position));
            let rectangle = grid.rectangle(CellRectangle { min: cell, max: cell });
            assert!(Region::Rectangle(rectangle).contains(&scene.town.map, query.position));
        }
    }
}

/// All cells of a grid.
fn all_cells(grid: &CellGrid) -> Vec<Cell> {
    let (columns, rows) = (grid.columns, grid.rows);
    (0..columns).flat_map(|column| (0..rows).map(move |row| Cell { column, row })).collect()
}

#[test]
fn the_share_of_sensitive_cells_is_as_given() {
    let scene = Scene::random(7);
    let grid = CellGrid::new(&scene.town.map, 50.0);
    for share in [0.0, 0.3, 1.0] {
        let drawn = SensitiveCells::Drawn { share, factor: 2, seed: 2 };
        let factors = drawn.factors(&grid).unwrap();
        let sensitive = factors.iter().filter(|&&factor| factor == 2).count();
        let found = sensitive as f64 / factors.len() as f64;
        assert!((found - share).abs() < 0.15, "{found} of {} for {share}", factors.len());
    }
}

#[test]
fn a_cell_has_the_largest_factor_of_the_places_that_touch_it() {
    let mut raised = 0;
    for scene in Scene::many().take(100) {
        let grid = CellGrid::new(&scene.town.map, 60.0);
        let places = random_places(&scene);
        let factors = SensitiveCells::Places(places.clone()).factors(&grid).unwrap();
        for cell in all_cells(&grid) {
            let Rectangle { min, max } = grid.rectangle(CellRectangle { min: cell, max: cell });
            // Reference: distance to the cell, side by side.
            let beyond = |at: f64, low: f64, high: f64| (low - at).max(at - high).max(0.0);
            let touches = |place: &&SensitivePlace| {
                let Point { x, y } = place.point;
                beyond(x, min.x, max.x).hypot(beyond(y, min.y, max.y)) <= place.radius
            };
            let expected = places.iter().filter(touches).map(|place| place.factor).max();
            let found = factors[grid.number(cell)];
            assert_eq!(found, expected.unwrap_or(1).max(1), "seed {}", scene.seed);
            raised += usize::from(found > 1);
        }
    }
    assert!(raised > 500, "{raised}");
}

#[test]
fn requirements_of_the_covered_cells_count_whatever_the_rectangle() {
    let mut compared = 0;
    for scene in Scene::many().take(120).filter(|scene| scene.seed.is_multiple_of(2)) {
        let scheme = scheme(&scene);
        let grid = scheme.requirements.cells;
        for pair in scene.state.waiting.chunks_exact(2) {
            let points = pair.iter().map(|query| scene.town.map.point(query.position));
            let rectangle = Rectangle::around(points).unwrap();
            // Cells that share an area, or the points of a flat rectangle, with it.
            let holds = |cell: &Cell| {
                let Rectangle { min, max } =
                    grid.rectangle(CellRectangle { min: *cell, max: *cell });
                let overlaps = |low: f64, high: f64, from: f64, to: f64| {
                    low < high && from < to && low < to && from < high
                        || low == high && from <= low && low < to
                };
                overlaps(rectangle.min.x, rectangle.max.x, min.x, max.x)
                    && overlaps(rectangle.min.y, rectangle.max.y, min.y, max.y)
            };
            let cells = all_cells(&grid).into_iter().filter(holds);
            let factor = cells.map(|cell| scheme.requirements.factor_of(cell)).max().unwrap_or(1);
            let region = Region::Rectangle(rectangle);
            let found = scheme.requirement(&scene.town.map, &pair[0], &region).users;
            assert_eq!(found, pair[0].k * factor, "seed {}", scene.seed);
            compared += usize::from(factor > 1);
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_file_of_places_raises_k_and_a_bad_one_is_refused_with_a_sentence() {
    let scene = Scene::random(60);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("places.csv");
    let text = path.display().to_string();
    let built = |content: &str| {
        std::fs::write(&path, content).unwrap();
        by_name(&scene.atlas, &format!("l2p2:map={text}"))
    };
    let query = &scene.state.waiting[0];
    let Point { x, y } = scene.town.map.point(query.position);
    let region = Region::Rectangle(Rectangle { min: Point::new(x, y), max: Point::new(x, y) });
    let scheme = built(&format!("x,y,factor,radius\n{x},{y},7,10\n")).unwrap();
    assert_eq!(scheme.requirement(&scene.town.map, query, &region).users, 7 * query.k);
    let canonical = SchemeChoice::parse(&format!("l2p2:map={text}")).unwrap().to_string();
    assert_eq!(canonical, format!("l2p2:map={text}"));
    for (content, expected) in [
        ("x,y,factor\n1,1,0\n".to_owned(), "expected a whole number from 1 to 100"),
        ("x,y,factor\n9e6,9e6,2\n".to_owned(), "none of its 1 places is on the map"),
        ("x,y,factor\n".to_owned(), "none of its 0 places is on the map"),
        (
            (2..19).fold("x,y,factor\n".to_owned(), |all, n| format!("{all}{x},{y},{n}\n")),
            "it has 17 factors; expected at most 16",
        ),
    ] {
        let message = built(&content).err().expect("refused").to_string();
        let names_file = message.starts_with(&format!("scheme `l2p2`: {text}"));
        assert!(names_file && message.contains(expected), "{message}");
    }
    let missing = by_name(&scene.atlas, "l2p2:map=nowhere.csv").err().expect("refused");
    assert_eq!(missing.to_string(), "scheme `l2p2`: nowhere.csv: no such file");
}
