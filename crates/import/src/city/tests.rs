//! What must hold of every city.

use super::draw::draw;
use super::*;

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
