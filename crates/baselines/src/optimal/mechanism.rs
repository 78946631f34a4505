//! The linear program (the authors' equations 10 to 15), and the mechanism that solves it.
//!
//! With prior π, privacy distance `d` and quality distance `q`, f(o | r) is the probability that a
//! user in region r publishes region o:
//!
//! ```text
//! maximise    Σ_o x_o                                  the adversary's expected error
//! subject to  x_o ≤ Σ_r π(r)·f(o|r)·d(g, r)            for every guess g and every o
//!             Σ_r π(r) Σ_o f(o|r)·q(o, r) ≤ loss
//!             Σ_o f(o|r) = 1,  f ≥ 0
//! ```
//!
//! At the optimum x_o is the error of the adversary's best guess for o.

use super::region_table::RegionTable;
use crate::scheme_random::SchemeRandom;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::sync::{Arc, Mutex, PoisonError};

/// How the adversary's error is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Measure {
    /// Distance of the guessed from the true region, in metres.
    #[default]
    Metres,
    /// Probability that the guessed region is not the true one.
    Regions,
}

/// A mechanism.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mechanism {
    /// By own and by published region: probability.
    rows: Vec<Vec<f64>>,
    /// The same as weights of a draw.
    weights: Vec<Vec<u64>>,
    /// Expected error of the best adversary.
    pub(super) privacy: f64,
}

/// Distances are divided by this many metres, so that the program's numbers are near 1.
const SCALE: f64 = 1_000.0;

/// Mechanisms solved before: an adversary builds the scheme again for each attacked batch.
static SOLVED: Mutex<Vec<(Vec<u64>, Arc<Mechanism>)>> = Mutex::new(Vec::new());

/// Largest number of kept mechanisms.
const MAX_SOLVED: usize = 8;

impl Mechanism {
    /// Solves the program, or returns the solution found before.
    pub(super) fn solve(
        table: &RegionTable,
        loss: f64,
        measure: Measure,
    ) -> Result<Arc<Mechanism>, String> {
        let numbers = table.centres.iter().flat_map(|centre| [centre.x, centre.y]);
        let numbers = numbers.chain(table.prior.iter().copied()).chain([loss]);
        let key: Vec<u64> = numbers.map(f64::to_bits).chain([measure as u64]).collect();
        let solved = || SOLVED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = solved().iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(known));
        }
        let mechanism = Arc::new(Mechanism::solve_new(table, loss, measure)?);
        let mut solved = solved();
        if solved.len() == MAX_SOLVED {
            solved.remove(0);
        }
        solved.push((key, Arc::clone(&mechanism)));
        Ok(mechanism)
    }

    fn solve_new(table: &RegionTable, loss: f64, measure: Measure) -> Result<Mechanism, String> {
        let count = table.count();
        let program = Program::new(table, loss, measure);
        let outcome = program.problem.solve().map_err(|error| error.to_string())?;
        let solution = outcome.solution().ok_or("interrupted")?;
        let row = |own: usize| -> Vec<f64> {
            let values =
                program.mechanism[own].iter().map(|&cell| solution.var_value(cell).max(0.0));
            let row: Vec<f64> = values.collect();
            let sum: f64 = row.iter().sum();
            row.into_iter().map(|value| value / sum).collect()
        };
        let rows: Vec<Vec<f64>> = (0..count).map(row).collect();
        if rows.iter().flatten().any(|value| !value.is_finite()) {
            return Err("a row without probability".to_owned());
        }
        let weight = |&value: &f64| (value * 2.0_f64.powi(40)) as u64;
        let weights = rows.iter().map(|row| row.iter().map(weight).collect()).collect();
        Ok(Mechanism { rows, weights, privacy: solution.objective() * program.scale })
    }

    /// Probability that a user in region `own` publishes region `published`.
    pub(super) fn probability(&self, own: usize, published: usize) -> f64 {
        self.rows[own][published]
    }

    /// Draws the published region of a user in region `own`.
    pub(super) fn draw(&self, own: usize, random: &mut SchemeRandom) -> usize {
        random.weighted(&self.weights[own]).unwrap_or(own)
    }
}

/// The adversary's error for a guess.
pub(super) fn error(table: &RegionTable, measure: Measure, guess: usize, truth: usize) -> f64 {
    match measure {
        Measure::Metres => table.centres[guess].distance(table.centres[truth]),
        Measure::Regions => f64::from(u8::from(guess != truth)),
    }
}

/// The linear program with its variables.
struct Program {
    problem: Problem,
    /// By own and by published region.
    mechanism: Vec<Vec<Variable>>,
    /// Factor of the objective.
    scale: f64,
}

impl Program {
    fn new(table: &RegionTable, loss: f64, measure: Measure) -> Program {
        let regions = 0..table.count();
        let scale = match measure {
            Measure::Metres => SCALE,
            Measure::Regions => 1.0,
        };
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let errors: Vec<Variable> =
            regions.clone().map(|_| problem.add_var(1.0, (0.0, f64::INFINITY))).collect();
        let row = |problem: &mut Problem| -> Vec<Variable> {
            regions.clone().map(|_| problem.add_var(0.0, (0.0, 1.0))).collect()
        };
        let mechanism: Vec<Vec<Variable>> = regions.clone().map(|_| row(&mut problem)).collect();
        for (published, guess) in regions.clone().flat_map(|o| regions.clone().map(move |g| (o, g)))
        {
            let mut terms = vec![(errors[published], 1.0)];
            terms.extend(regions.clone().filter(|&own| own != guess).map(|own| {
                let error = error(table, measure, guess, own) / scale;
                (mechanism[own][published], -table.prior[own] * error)
            }));
            problem.add_constraint(&terms[..], ComparisonOp::Le, 0.0);
        }
        for row in &mechanism {
            let terms: Vec<(Variable, f64)> = row.iter().map(|&cell| (cell, 1.0)).collect();
            problem.add_constraint(&terms[..], ComparisonOp::Eq, 1.0);
        }
        let mut quality = Vec::new();
        for (own, published) in regions.clone().flat_map(|r| regions.clone().map(move |o| (r, o))) {
            let metres = table.centres[own].distance(table.centres[published]);
            if own != published {
                quality.push((mechanism[own][published], table.prior[own] * metres / SCALE));
            }
        }
        problem.add_constraint(&quality[..], ComparisonOp::Le, loss / SCALE);
        Program { problem, mechanism, scale }
    }
}
