//! A plot: an SVG picture and the CSV of the numbers that it shows.

use picture::{Canvas, Dots, LineChart, Panels, PictureError};

/// A plot and the base name of its files.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    name: String,
    svg: String,
    csv: Option<String>,
}

impl Plot {
    /// Draws line charts side by side, each panel `height` pixels high.
    pub(super) fn panels(name: &str, panels: &Panels, height: u32) -> Result<Plot, PictureError> {
        let canvas = panels.draw(WIDTH, height)?;
        Ok(Plot::new(name, &canvas, Some(lines(&panels.charts))))
    }

    /// Draws a dot plot.
    pub(super) fn dots(name: &str, dots: &Dots) -> Result<Plot, PictureError> {
        Plot::dots_in_bands(name, dots, &[dots.panels.len()])
    }

    /// Draws a dot plot with panels in bands below one another.
    pub(super) fn dots_in_bands(
        name: &str,
        dots: &Dots,
        bands: &[usize],
    ) -> Result<Plot, PictureError> {
        let mut rows = vec![vec!["panel".to_owned(), "kind".into(), "row".into(), "value".into()]];
        for panel in &dots.panels {
            for (series, values) in dots.series.iter().zip(&panel.values) {
                for (row, value) in dots.rows.iter().zip(values) {
                    let value = value.map_or(String::new(), |value| value.to_string());
                    rows.push(vec![panel.label.clone(), series.clone(), row.clone(), value]);
                }
            }
        }
        Ok(Plot::new(name, &dots.draw_bands(WIDTH, bands)?, Some(csv(&rows))))
    }

    /// Wraps a drawing without numbers.
    pub(super) fn drawing(name: &str, canvas: &Canvas) -> Plot {
        Plot::new(name, canvas, None)
    }

    fn new(name: &str, canvas: &Canvas, csv: Option<String>) -> Plot {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        Plot { name: name.chars().map(plain).collect(), svg: canvas.to_svg(), csv }
    }

    /// Base name of its files without extension: ASCII letters, digits and hyphens.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SVG text of the picture.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// CSV text of the numbers; `None` for a drawing.
    pub fn csv(&self) -> Option<&str> {
        self.csv.as_deref()
    }
}

/// Width of all plots in pixels.
const WIDTH: u32 = 1120;

fn lines(charts: &[LineChart]) -> String {
    let head = ["panel", "line", "x", "y", "least", "most"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for chart in charts {
        for series in &chart.series {
            for (index, (x, y)) in series.points.iter().enumerate() {
                let tick = chart.x_ticks.iter().find(|tick| tick.0 == *x);
                let x = tick.map_or_else(|| x.to_string(), |tick| tick.1.replace(',', ""));
                let (low, high) = series.spread.get(index).copied().unwrap_or((*y, *y));
                let [y, low, high] = [*y, low, high].map(|number| number.to_string());
                rows.push(vec![chart.title.clone(), series.name.clone(), x, y, low, high]);
            }
        }
    }
    csv(&rows)
}

fn csv(rows: &[Vec<String>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row).expect("rows of equal length are written to memory");
    }
    let bytes = writer.into_inner().expect("flushing to memory cannot fail");
    String::from_utf8(bytes).expect("CSV of text cells is UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use picture::{Scale, Series};

    #[test]
    fn the_csv_of_a_plot_holds_the_points_of_its_lines() {
        let chart = LineChart {
            title: "P1, k 2–5".into(),
            x_ticks: vec![(0.0, "1,000".into()), (1.0, "3,000".into())],
            series: vec![Series {
                name: "a,b".into(),
                points: vec![(0.0, 0.5), (1.0, 0.25)],
                spread: vec![(0.25, 0.75)],
            }],
            ..LineChart::default()
        };
        let charts = vec![chart];
        let panels = Panels { title: String::new(), charts, columns: 1, scale: Scale::Own };
        let plot = Plot::panels("a b/c", &panels, 200).unwrap();
        assert_eq!(plot.name(), "a-b-c");
        let expected = "panel,line,x,y,least,most\n\"P1, k 2–5\",\"a,b\",1000,0.5,0.25,0.75\n\
                        \"P1, k 2–5\",\"a,b\",3000,0.25,0.25,0.25\n";
        assert_eq!(plot.csv(), Some(expected));
    }
}
