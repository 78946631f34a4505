//! Division of the child process into counted segments.
//!
//! Callgrind writes a dump and resets its counters whenever [`boundary`] is entered. The meter
//! records the name of each finished segment, so the parent can assign dumps to stages:
//!
//! ```text
//! boundary     boundary   boundary    boundary
//!    │ uncounted  │ "graph"  │ uncounted  │ …        one dump per segment, in this order
//! ```

use meshcloak::scheme::{Observer, Stage};
use std::fmt::Write as _;
use std::hint::black_box;

/// Name of an uncounted segment.
pub const UNCOUNTED: &str = "-";

/// End of a segment. Callgrind finds this function by its symbol.
#[inline(never)]
fn boundary() {
    black_box(());
}

/// Symbol of [`boundary`].
pub const BOUNDARY: &str = "gates::meter::boundary";

/// Segments of the run and the work of each stage.
#[derive(Default)]
pub struct Meter {
    segments: Vec<&'static str>,
    work: Vec<Work>,
}

/// Amount of work of a stage.
struct Work {
    stage: &'static str,
    size: usize,
    unit: &'static str,
}

impl Meter {
    /// Ends the current segment; its instructions belong to no stage.
    pub fn begin(&mut self) {
        self.end(UNCOUNTED);
    }

    /// Ends the current segment; its instructions belong to `stage`.
    pub fn end(&mut self, stage: &'static str) {
        self.segments.push(stage);
        boundary();
    }

    /// Counts the instructions of `work`.
    pub fn count<T>(&mut self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        self.begin();
        let result = work();
        self.end(stage);
        result
    }

    /// Sets the amount of work that the instructions of a stage are divided by.
    pub fn divide(&mut self, stage: &'static str, size: usize, unit: &'static str) {
        self.work.push(Work { stage, size, unit });
    }

    /// Writes one line per stage (name, size, unit), then one with the segments.
    pub fn print(&self) {
        let mut text = String::new();
        for Work { stage, size, unit } in &self.work {
            let _ = writeln!(text, "{stage} {size} {unit}");
        }
        println!("{text}{}", self.segments.join(" "));
    }
}

/// Names of a turn's segments under one guarantee.
#[derive(Clone, Copy)]
pub struct TurnStages {
    /// Search for groups.
    pub grouping: &'static str,
    /// Guard and removal of the published queries.
    pub guard: &'static str,
    /// Everything else: arrivals, constraint graph, regions.
    pub rest: &'static str,
}

/// Observer of a turn that ends a segment at each change of stage.
pub struct TurnMeter<'a> {
    meter: &'a mut Meter,
    stages: TurnStages,
    current: &'static str,
}

impl TurnMeter<'_> {
    /// Starts with the turn's first segment.
    pub fn start(meter: &mut Meter, stages: TurnStages) -> TurnMeter<'_> {
        meter.begin();
        TurnMeter { meter, stages, current: stages.rest }
    }

    /// Ends the last segment of the turn.
    pub fn finish(self) {
        self.meter.end(self.current);
    }
}

impl Observer for TurnMeter<'_> {
    fn stage(&mut self, stage: Stage) {
        self.meter.end(self.current);
        self.current = match stage {
            Stage::Cliques => self.stages.grouping,
            Stage::Settle => self.stages.guard,
            Stage::Collect | Stage::Graph | Stage::Mesh => self.stages.rest,
        };
    }
}
