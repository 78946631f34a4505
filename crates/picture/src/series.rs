//! Data of one line of a chart.

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y) in the order in which they are joined. A value that is not finite or beyond
    /// ±10¹⁵ leaves a gap.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end of the error bar of each point; may be shorter than `points`.
    pub spread: Vec<(f64, f64)>,
}
