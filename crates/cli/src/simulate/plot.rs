//! The plot of new queries over time, as the paper's figure of NEW queries (§V-A).

use super::pictures::{map_name, write_canvas};
use crate::table::grouped;
use anyhow::Result;
use import::Imported;
use picture::{LineChart, Series};
use std::path::Path;

/// New queries in each second, for one or several profiles.
pub struct NewQueries {
    chart: LineChart,
}

impl NewQueries {
    /// A plot without lines, for that many people on that map.
    pub fn new(imported: &Imported, users: u32) -> NewQueries {
        let (people, map) = (grouped(users.into()), map_name(imported));
        let chart = LineChart {
            title: format!("New queries of {people} people on {map}"),
            x_label: "time (s)".to_owned(),
            y_label: "new queries (1/s)".to_owned(),
            ..LineChart::default()
        };
        NewQueries { chart }
    }

    /// Adds the line of a profile: how many queries were new in each second.
    pub fn add(&mut self, profile: &str, new: &[u64]) {
        let stem = Path::new(profile).file_stem().unwrap_or_default().to_string_lossy();
        let points = new.iter().enumerate().map(|(second, &new)| (second as f64, new as f64));
        let (name, points) = (stem.into_owned(), points.collect());
        self.chart.series.push(Series { name, points, ..Series::default() });
    }

    /// Writes it.
    pub fn write(&self, out: &Path) -> Result<()> {
        write_canvas(&self.chart.draw(960, 540)?, out)
    }
}
