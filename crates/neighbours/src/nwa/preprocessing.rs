//! Pre-processing into equal time spans: only trajectories with the same span can be compared.
//!
//! Each trajectory is trimmed so that it begins and ends at multiples of the period. Trajectories with
//! the same span form a class; classes of fewer than k are not published.

use super::NwaSettings;
use super::trajectory::Trajectory;
use std::collections::BTreeMap;

/// Result of pre-processing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classes {
    /// Trajectories of equal span, at least k in each, ordered by span.
    pub classes: Vec<Vec<Trajectory>>,
    /// Trajectories that cover no whole period.
    pub too_short: usize,
    /// Trajectories in classes of fewer than k.
    pub too_rare: usize,
}

impl Classes {
    /// Trims trajectories and groups them by span.
    pub fn group(trajectories: &[Trajectory], settings: &NwaSettings) -> Classes {
        let period = settings.samples_per_period();
        let mut spans: BTreeMap<(u32, u32), Vec<Trajectory>> = BTreeMap::new();
        let mut result = Classes::default();
        for trajectory in trajectories {
            let start = trajectory.start.div_ceil(period) * period;
            // The last sample of a span is at a multiple of the period as well.
            let end = (trajectory.end() - 1) / period * period + 1;
            if end <= start + 1 {
                result.too_short += 1;
                continue;
            }
            spans.entry((start, end)).or_default().push(trajectory.part(start, end));
        }
        for (_, class) in spans {
            if class.len() < settings.k as usize {
                result.too_rare += class.len();
            } else {
                result.classes.push(class);
            }
        }
        result
    }

    /// Number of positions that can be published.
    fn position_count(&self) -> usize {
        self.classes.iter().flatten().map(|trajectory| trajectory.points.len()).sum()
    }

    /// Number of trajectories that can be published.
    pub fn len(&self) -> usize {
        self.classes.iter().map(Vec::len).sum()
    }

    /// Whether no trajectory can be published.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }
}

/// Periods that [`best_period`] tries, in samples.
const PERIODS: [u32; 9] = [2, 4, 8, 12, 16, 20, 24, 32, 40];

/// Period, in milliseconds, with which most positions can be published; ties: the shortest.
pub fn best_period(trajectories: &[Trajectory], settings: &NwaSettings) -> u64 {
    let periods = PERIODS.map(|samples| settings.step * u64::from(samples));
    let kept = |period: u64| {
        Classes::group(trajectories, &NwaSettings { period, ..*settings }).position_count()
    };
    let most = |best: (u64, usize), period: u64| {
        let count = kept(period);
        if count > best.1 { (period, count) } else { best }
    };
    periods.into_iter().fold((periods[0], 0), most).0
}
