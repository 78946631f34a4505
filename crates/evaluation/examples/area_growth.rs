//! Area of the regions of a user from publication to publication, under schemes that look at the
//! last region: `area_growth MAP USERS OUT.svg|OUT.png`. Areas of ICliqueCloak are printed, not drawn:
//! they are ten times as large. The last number of a line is the mean time between two publications of
//! a user.

use attacks::InspectedScheme;
use evaluation::costs::Costs;
use evaluation::run::{Conditions, run};
use evaluation::schemes;
use evaluation::workload::{Workload, simulate};
use meshcloak::distance::Atlas;
use meshcloak::query::UserId;
use meshcloak::scheme::{Published, State};
use meshcloak::units::{Length, Time};
use picture::{LineChart, Series};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use traffic::{Profile, SimulationSettings};

const SCHEMES: [&str; 5] =
    ["casper", "patching:of=casper", "delaying:of=casper", "k-sharing", NOT_DRAWN];
const NOT_DRAWN: &str = "i-clique-cloak";
/// Publications of a user to show; few users have more.
const PUBLICATIONS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [map, users, out] = arguments.as_slice() else {
        return Err("expected MAP USERS OUT.svg|OUT.png".into());
    };
    let users: u32 = users.parse()?;
    let city = import::read_map(&map.parse()?, &import::Options::default(), &())?;
    let atlas = Arc::new(Atlas::new(city.map, Length::metres(2_000.0)));
    let profile = Profile::named("p1").ok_or("no profile p1")?.with_uniform_places();
    let settings = SimulationSettings { users, k: (2, 5), temporal_tolerance: 3_000, seed: 1 };
    let workload = simulate(atlas.map(), &profile, settings);
    let mut series = Vec::new();
    for name in SCHEMES {
        let Growth { means, pause } = growth(&atlas, &workload, name)?;
        let texts: Vec<String> = means.iter().map(|(_, area)| format!("{area:8.3}")).collect();
        println!("{name:20} {} {pause:8.1} s", texts.join(" "));
        if name != NOT_DRAWN {
            series.push(Series { name: name.to_owned(), points: means, spread: Vec::new() });
        }
    }
    let chart = LineChart {
        title: format!("Area of regions, {users} users, P1-3-5"),
        x_label: "publication of a user".to_owned(),
        y_label: "mean area (km²)".to_owned(),
        series,
        ..LineChart::default()
    };
    let canvas = chart.draw(1120, 560)?;
    match out.ends_with(".svg") {
        true => std::fs::write(out, canvas.to_svg())?,
        false => std::fs::write(out, canvas.to_png())?,
    }
    Ok(())
}

/// Regions of a scheme from publication to publication.
struct Growth {
    /// Number of the publication of a user, and its mean area in km².
    means: Vec<(f64, f64)>,
    /// Mean time in seconds between two of them.
    pause: f64,
}

/// Measures the first publications of each user.
fn growth(atlas: &Arc<Atlas>, workload: &Workload, name: &str) -> Result<Growth, Box<dyn Error>> {
    let mut last: BTreeMap<UserId, (usize, Time)> = BTreeMap::new();
    let mut sums = [(0.0, 0.0); PUBLICATIONS];
    let (mut pauses, mut seconds) = (0.0, 0.0);
    let inspect = |state: &State, now: Time, published: &Published| {
        for served in published.served() {
            let user = state.waiting[served.index as usize].user;
            let before = last.get(&user).copied();
            let number = before.map_or(0, |(number, _)| number + 1);
            last.insert(user, (number, now));
            let Some((sum, count)) = sums.get_mut(number) else { continue };
            if let Some(area) = published.set(served.set).region.area() {
                *sum += area / 1e6;
                *count += 1.0;
            }
            if let Some((_, at)) = before {
                seconds += (now - at).as_secs_f64();
                pauses += 1.0;
            }
        }
    };
    let mut scheme = InspectedScheme { scheme: schemes::by_name(atlas, name)?, inspect };
    let conditions = Conditions::new(Duration::from_secs(3), atlas.dc_max());
    run(&mut scheme, atlas.map(), workload, conditions, &mut Costs::Free);
    let shown = sums.iter().enumerate().filter(|(_, (_, count))| *count > 0.0);
    let means = shown.map(|(index, (sum, count))| (index as f64 + 1.0, sum / count)).collect();
    Ok(Growth { means, pause: seconds / pauses })
}
