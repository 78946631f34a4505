//! Success, delay, region and engine time with presence reports:
//! `presence MAP USERS PROFILE SEED SCHEME…`, as in `meshcloak/history/published/present-90`.

use evaluation::costs::Costs;
use evaluation::metrics::Mean;
use evaluation::run::{Conditions, run};
use evaluation::schemes;
use evaluation::workload::simulate;
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [map, users, profile, seed, names @ ..] = arguments.as_slice() else {
        return Err("expected MAP USERS PROFILE SEED SCHEME…".into());
    };
    let city = import::read_map(&map.parse()?, &import::Options::default(), &())?;
    let atlas = Arc::new(Atlas::new(city.map, Length::metres(2_000.0)));
    let profile = Profile::named(profile).ok_or("unknown profile")?.with_uniform_places();
    let (users, seed) = (users.parse()?, seed.parse()?);
    let settings = SimulationSettings { users, k: (2, 5), temporal_tolerance: 3_000, seed };
    let workload = simulate(atlas.map(), &profile, settings);
    for name in names {
        let (scheme, presence) = schemes::presence(name);
        let mut scheme = schemes::by_name(&atlas, scheme)?;
        let tolerance = Duration::from_secs(3);
        let conditions = Conditions { presence, ..Conditions::new(tolerance, atlas.dc_max()) };
        let tally = run(&mut scheme, atlas.map(), &workload, conditions, &mut Costs::Free).tally;
        let millis = |spent: Duration| spent.as_secs_f64() * 1e3 / tally.turns as f64;
        let value = |mean: Mean| mean.value().unwrap_or(f64::NAN);
        println!(
            "{name}: {:.2} % of {} served, delay {:.3} s, region {:.0} m, k by users {:.1}, by \
             askers {:.2}, {:.2} ms per batch {:.2?}, worst {:.0} ms, {} batches, {} truncated, {} \
             rejected, largest {} nodes {} edges",
            tally.success_rate().unwrap_or(f64::NAN) * 100.0,
            tally.accepted,
            value(tally.delay),
            value(tally.region_metres),
            value(tally.k_by_users),
            value(tally.k_by_askers),
            millis(tally.spent.iter().sum()),
            tally.spent.map(millis),
            tally.worst.as_secs_f64() * 1e3,
            tally.turns,
            tally.truncated,
            tally.rejected,
            tally.largest.nodes,
            tally.largest.edges,
        );
    }
    Ok(())
}
