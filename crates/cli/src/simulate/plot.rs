//! Plot of new queries over time, as in the figure of NEW queries in §V-A of the paper.

use crate::picture_file::{map_name, write_canvas};
use crate::table::grouped;
use anyhow::Result;
use import::Imported;
use picture::{LineChart, Series};
use std::path::Path;

/// Plot of the new queries in each second, with one line per profile.
pub struct NewQueriesPlot {
    chart: LineChart,
}

impl NewQueriesPlot {
    /// Builds a plot without lines.
    pub fn new(imported: &Imported, users: u32) -> NewQueriesPlot {
        let (users, map) = (grouped(users.into()), map_name(imported));
        let chart = LineChart {
            title: format!("New queries of {users} users on {map}"),
            x_label: "time (s)".to_owned(),
            y_label: "new queries (1/s)".to_owned(),
            ..LineChart::default()
        };
        NewQueriesPlot { chart }
    }

    /// Adds the line of a profile: the number of new queries in each second.
    pub fn add(&mut self, profile: &str, new: &[u64]) {
        let stem = Path::new(profile).file_stem().unwrap_or_default().to_string_lossy();
        let points = new.iter().enumerate().map(|(second, &new)| (second as f64, new as f64));
        let (name, points) = (stem.into_owned(), points.collect());
        self.chart.series.push(Series { name, points, ..Series::default() });
    }

    /// Writes the plot in the format of its extension.
    pub fn write(&self, out: &Path) -> Result<()> {
        write_canvas(&self.chart.draw(960, 540)?, out)
    }
}
