//! What must hold of every city.

use super::draw::draw;
use super::lines::Class;
use super::vector::meeting;
use super::*;
use meshcloak::units::Point;
use std::collections::HashMap;

fn segments(d: &super::draw::Drawing, motorway: bool) -> Vec<(usize, Point, Point)> {
    let mut all = Vec::new();
    for (n, road) in d.net.roads.iter().enumerate() {
        if (d.lines.get(road.line).class <= Class::MotorwayLink) != motorway {
            continue;
        }
        let ends = [road.from, road.to].map(|t| d.net.terminals[t as usize]);
        let mut last = ends[0];
        for &p in road.bends.iter().chain([&ends[1]]) {
            all.push((n, last, p));
            last = p;
        }
    }
    all
}

/// Pairs of segments that meet, except in a common end.
fn meetings(a: &[(usize, Point, Point)], b: &[(usize, Point, Point)]) -> Vec<(usize, usize, Point)> {
    const CELL: f64 = 150.0;
    let cells = |p: Point, q: Point| {
        let cell = |v: f64| (v / CELL).floor() as i64;
        let (x0, x1) = (cell(p.x.min(q.x)), cell(p.x.max(q.x)));
        let (y0, y1) = (cell(p.y.min(q.y)), cell(p.y.max(q.y)));
        (x0..=x1).flat_map(move |x| (y0..=y1).map(move |y| (x, y)))
    };
    let mut grid: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (n, s) in b.iter().enumerate() {
        cells(s.1, s.2).for_each(|cell| grid.entry(cell).or_default().push(n));
    }
    let mut found = Vec::new();
    for s in a {
        let mut near: Vec<usize> =
            cells(s.1, s.2).filter_map(|cell| grid.get(&cell)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        for n in near {
            let t = &b[n];
            let common = [s.1, s.2].iter().any(|p| *p == t.1 || *p == t.2);
            if let Some((at, _)) = meeting(s.1, s.2, t.1, t.2).filter(|_| !common) {
                found.push((s.0, t.0, s.1.towards(s.2, at)));
            }
        }
    }
    found
}

fn river(d: &super::draw::Drawing) -> Vec<(usize, Point, Point)> {
    d.river.windows(2).enumerate().map(|(n, leg)| (n, leg[0], leg[1])).collect()
}

#[test]
fn scan() {
    let size: usize = std::env::var("SIZE").unwrap().parse().unwrap();
    let seeds: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    for seed in 0..seeds {
        let plan = CityPlan::new(seed, size).unwrap();
        let d = draw(plan, &());
        let plain = segments(&d, false);
        let fast = segments(&d, true);
        let m = meetings(&plain, &plain);
        let mut bridges: Vec<_> = meetings(&plain, &river(&d)).iter().map(|m| m.0).collect();
        bridges.extend(meetings(&fast, &river(&d)).iter().map(|m| m.0));
        let v = meetings(&fast, &plain).len();
        let built = build(plan, &()).builder.build(meshcloak::map::Extent::LargestPart).unwrap();
        let metres: f64 = plain.iter().map(|s| s.1.distance(s.2)).sum();
        let ow = built.map.streets().filter(|s| built.map.street(*s).one_way).count() as f64 / built.map.street_count() as f64;
        let mut deg = vec![0; d.net.terminals.len()];
        d.net.roads.iter().for_each(|r| { deg[r.from as usize] += 1; deg[r.to as usize] += 1; });
        let dead = deg.iter().filter(|d| **d == 1).count() as f64 / deg.len() as f64;
        let short = built.map.streets().filter(|s| built.map.metres(*s) < 12.0).count();
        eprintln!("seed {seed} roads {} crossings {} bridges {}/{} viaducts {v} dropped {} km {:.0} ow {ow:.3} dead {dead:.3} short {short} {:?}", d.net.roads.len(), m.len(), bridges.len(), d.bridges, built.dropped.streets, metres/1000.0, m.first());
    }
}

#[test]
fn dump() {
    use std::fmt::Write as _;
    let size: usize = std::env::var("SIZE").unwrap().parse().unwrap();
    let seed: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    let start = std::time::Instant::now();
    let plan = CityPlan::new(seed, size).unwrap();
    let d = draw(plan, &());
    eprintln!("drawn {:?}", start.elapsed());
    let start = std::time::Instant::now();
    let draft = build(plan, &());
    eprintln!("built {:?} nodes {} edges {}", start.elapsed(), draft.nodes, draft.edges);
    let built = draft.builder.build(meshcloak::map::Extent::LargestPart).unwrap();
    eprintln!("map {:?} dropped {:?} repairs {:?}", start.elapsed(), built.dropped, built.repairs);
    let (net, lines) = (&d.net, &d.lines);
    let mut out = String::new();
    let n = net.roads.len();
    let mut metres = 0.0;
    let mut ow = 0;
    let mut deg = vec![0; net.terminals.len()];
    let mut classes = std::collections::BTreeMap::new();
    for r in &net.roads {
        let class = lines.get(r.line).class.word();
        *classes.entry(class).or_insert(0) += 1;
        deg[r.from as usize] += 1;
        deg[r.to as usize] += 1;
        ow += usize::from(r.traffic == lines::Traffic::AsDrawn);
        write!(out, "{class}").unwrap();
        let mut last: Option<meshcloak::units::Point> = None;
        for p in std::iter::once(&net.terminals[r.from as usize])
            .chain(&r.bends)
            .chain([&net.terminals[r.to as usize]])
        {
            write!(out, " {} {}", p.x, p.y).unwrap();
            if let Some(l) = last {
                metres += l.distance(*p);
            }
            last = Some(*p);
        }
        writeln!(out).unwrap();
    }
    for p in &d.places {
        writeln!(out, "poi {} {}", p.point.x, p.point.y).unwrap();
    }
    write!(out, "river").unwrap();
    for p in &d.river {
        write!(out, " {} {}", p.x, p.y).unwrap();
    }
    let dead = deg.iter().filter(|d| **d == 1).count();
    eprintln!(
        "roads {n} km {:.0} mean {:.0} one-way {:.3} dead {:.3} terminals {} deg4 {} bridges {} pois {} lines {} {classes:?}",
        metres / 1000.0,
        metres / n as f64,
        ow as f64 / n as f64,
        dead as f64 / deg.len() as f64,
        deg.len(),
        deg.iter().filter(|d| **d > 3).count(),
        d.bridges,
        d.places.len(),
        d.lines.len()
    );
    let distinct: std::collections::BTreeSet<_> = d.names.iter().collect();
    eprintln!("names {} e.g. {:?}", distinct.len(), d.names.iter().skip(8).step_by(1 + d.names.len() / 30).collect::<Vec<_>>());
    std::fs::write("/tmp/city_dump.txt", out).unwrap();
}
