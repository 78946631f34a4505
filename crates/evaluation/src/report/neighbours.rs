//! Section "Other architectures": systems that hide users by other means than cloaking.

use super::data::Data;
use super::page::{HtmlTable, ReportSection};
use super::plot::Plot;
use crate::distinct::distinct;
use crate::neighbours::{MeasureRow, draw, tables};

/// A system of the section.
struct System {
    /// Name of the subcommand.
    name: &'static str,
    heading: &'static str,
    /// What it hides, and from which adversary.
    promise: &'static str,
    /// Caption of its picture.
    caption: &'static str,
}

const SYSTEMS: &[System] = &[
    System {
        name: "mobimix",
        heading: "MobiMix: mix-zones at junctions",
        promise: "Users report exact positions under a pseudonym that changes inside zones where \
                  nothing is reported. The adversary, who sees all pseudonyms, tries to link those \
                  that enter a zone with those that leave it, by the times and by the turns. A user \
                  is hidden only where others pass at the same moment: the columns \u{201c}visits \
                  alone\u{201d} and \u{201c}ever among k\u{201d} show how often that is.",
        caption: "Two mix-zones with the paths of the users who meet there.",
    },
    System {
        name: "nwa",
        heading: "Never Walk Alone: published trajectories",
        promise: "A collection of trajectories is published once, each within a cylinder of \
                  diameter \u{3b4} with at least k \u{2212} 1 others at all times. Users of a live \
                  service get nothing from it. The table \u{201c}linked\u{201d} is an adversary who \
                  knows true positions of a target and takes the nearest published trajectory; the \
                  authors assume that positions are known no better than \u{3b4}. \u{201c}Top \
                  locations\u{201d} is the uniqueness of pseudonymous traces by their most visited \
                  cells (Zang & Bolot 2011), before and after.",
        caption: "Trajectories of four sets before and after anonymisation.",
    },
    System {
        name: "cachecloak",
        heading: "CacheCloak: predicted paths",
        promise: "A trusted server answers users at their exact positions from its cache, and asks \
                  the service about predicted paths that join the paths of others. The adversary is \
                  the service: it knows a target\u{2019}s cell once and how fast the target moves, \
                  and follows it by the requested paths. The columns \u{201c}sees nothing\u{201d} are \
                  the same adversary without the requests: the uncertainty of the movement itself.",
        caption: "",
    },
    System {
        name: "cache",
        heading: "Cach\u{e9}: regions fetched in advance",
        promise: "The device fetches whole regions around the user\u{2019}s places and answers by \
                  itself. The service learns the regions, which are nearly unique, but not when or \
                  where the user asks. Answers are as old as the last update; questions outside the \
                  regions are not answered. The row \u{201c}city\u{201d} reveals nothing.",
        caption: "",
    },
    System {
        name: "pir",
        heading: "No trust at all: download the city, private information retrieval",
        promise: "With private information retrieval the service answers without learning which \
                  cell was asked about; the assumption is a lattice problem instead of a trusted \
                  gateway or a crowd. A cell holds all that a user in it needs. CPU times are of one \
                  thread of the measuring machine; MeshCloak\u{2019}s server CPU is the sum of \
                  cloaking (engine), the service\u{2019}s search and the refinement of answers, \
                  without transport.",
        caption: "",
    },
];

/// When which system is the right one.
const ADVICE: [&str; 7] = [
    "Content of a city fits on the device and changes slowly: download the city. The \
     service learns no position, no party is trusted, and after a few questions it costs least. Answers are \
     stale by the share above.",
    "Content is too large or changes too fast for that, and no operator is trusted: private \
     information retrieval. Each question costs the user about half a megabyte, and the service \
     tens to hundreds of milliseconds of CPU and its cooperation. It needs no other users.",
    "The same with millions of users at once: systems like Wally reduce the work by fake queries \
     and an anonymous network; their figures are published, not measured here.",
    "An operator can be trusted, content is live, and users are dense enough for k: MeshCloak. \
     Bytes are those of a shared answer, the engine takes microseconds, and any existing service \
     can be asked. Users who cannot be hidden in time get no answer.",
    "Places are known in advance and the region itself is no secret: Cach\u{e9}.",
    "An operator can be trusted and positions have to be exact and continuous: CacheCloak hides \
     where a user goes as long as traffic is dense; MobiMix only where users meet at junctions.",
    "Movement data are to be published, not asked about: Never Walk Alone, with the distortion \
     above, and only if no adversary knows positions better than \u{3b4}.",
];

/// Builds the section.
pub(super) fn section(data: &Data) -> ReportSection {
    let mut section = ReportSection::new("neighbours", "Other architectures");
    if data.neighbours.is_empty() {
        section.leave_out("no measures (meshcloak neighbours … --out DIR).");
        return section;
    }
    section.paragraph(
        "These systems do not cloak single queries, so they have no place in the table of schemes. \
         Each is measured by the measures of its authors.",
    );
    for system in SYSTEMS {
        let rows: Vec<&MeasureRow> =
            data.neighbours.iter().filter(|row| row.system == system.name).collect();
        if !rows.is_empty() {
            add_system(&mut section, system, &rows, data);
        }
    }
    section.heading("When which is right");
    section.list(ADVICE.map(str::to_owned));
    section
}

fn add_system(section: &mut ReportSection, system: &System, rows: &[&MeasureRow], data: &Data) {
    section.heading(system.heading);
    section.paragraph(system.promise);
    for run in distinct(rows.iter().map(|row| row.run())) {
        section.paragraph(&format!("{}: {}.", run.1, run.2));
        let rows: Vec<&MeasureRow> = rows.iter().copied().filter(|row| row.run() == run).collect();
        for table in tables(&rows) {
            let head = [table.name.to_owned()].into_iter().chain(table.headings).collect();
            let mut html = HtmlTable { head, rows: Vec::new() };
            for (case, cells) in table.rows {
                html.row([case.to_owned()].into_iter().chain(cells));
            }
            section.table(&html);
        }
    }
    if let Some(canvas) = draw(&data.drawings, system.name) {
        let plot = Plot::drawing(&format!("neighbours-{}", system.name), &canvas);
        section.figure(plot, system.caption);
    }
}

#[cfg(test)]
mod tests {
    use super::super::HtmlReport;
    use super::*;
    use crate::neighbours::{DrawingRow, Measures, Unit};
    use meshcloak::units::Point;

    #[test]
    fn a_system_has_its_tables_and_its_picture() {
        let mut measures = Measures::new("mobimix", "town <x>", "k 3");
        measures.table("zones").put("rectangular", "visits", Unit::Count, 1234.0);
        let line = [Point::new(0.0, 0.0), Point::new(90.0, 10.0)];
        let drawings = vec![DrawingRow::new("mobimix", "zone", "hidden", &line)];
        let data = Data { neighbours: measures.rows, drawings, ..Data::default() };
        let report = HtmlReport::new(&data).unwrap();
        assert!(report.html.contains("town &lt;x&gt;: k 3.") && report.html.contains("1,234"));
        assert!(report.plots.iter().any(|plot| plot.name() == "neighbours-mobimix"));
        let empty = HtmlReport::new(&Data::default()).unwrap();
        assert!(!empty.html.contains("Other architectures"), "no empty section");
    }
}
