//! The committed counts, a text file beside this one.

use std::fmt::Write as _;
use std::str::FromStr;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/gates/instructions.txt");

/// Largest excess over the committed count, in per cent.
pub const TOLERANCE: f64 = 5.0;

/// Largest excess if the compiler differs from the one of the committed counts, in per cent.
const OTHER_COMPILER_TOLERANCE: f64 = 25.0;

const HEAD: &str = "\
# Instructions of the engine's stages on the portable path: stage, amount of work, its unit,
# instructions per unit. `make gates` compares, `make bless` rewrites this file.
";

/// Counts of one run.
pub struct Counts {
    /// Compiler version and target architecture.
    pub compiler: String,
    /// One per stage.
    pub counts: Vec<Count>,
}

/// Count of one stage.
pub struct Count {
    /// Name.
    pub stage: String,
    /// Amount of work in units.
    pub size: usize,
    /// Unit of work.
    pub unit: String,
    /// Instructions per unit.
    pub each: f64,
}

impl Count {
    /// Excess over another count in per cent; negative if this is smaller.
    pub fn excess_over(&self, before: &Count) -> f64 {
        (self.each / before.each - 1.0) * 100.0
    }
}

impl FromStr for Count {
    type Err = String;

    fn from_str(line: &str) -> Result<Count, String> {
        let malformed = || format!("{FILE}: {line:?} should be STAGE SIZE UNIT INSTRUCTIONS");
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[stage, size, unit, each] = &words[..] else { return Err(malformed()) };
        let size = size.parse().map_err(|_| malformed())?;
        let each = each.parse().map_err(|_| malformed())?;
        Ok(Count { stage: stage.into(), size, unit: unit.into(), each })
    }
}

impl Counts {
    /// Reads the committed counts.
    pub fn read() -> Result<Counts, String> {
        let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let compiler = lines.next().ok_or(format!("{FILE} is empty; `make bless` fills it"))?;
        let counts: Result<_, _> = lines.map(Count::from_str).collect();
        Ok(Counts { compiler: compiler.into(), counts: counts? })
    }

    /// Replaces the committed counts.
    pub fn write(&self) -> Result<(), String> {
        let mut text = format!("{HEAD}{}\n", self.compiler);
        for Count { stage, size, unit, each } in &self.counts {
            let _ = writeln!(text, "{stage:20} {size:>8} {unit:6} {each:>8.1}");
        }
        // Renamed when complete, so that the file is never half written.
        let new = format!("{FILE}.new");
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, FILE));
        written.map_err(|error| format!("{FILE}: {error}"))
    }

    /// Returns the count of a stage.
    pub fn count(&self, stage: &str) -> Option<&Count> {
        self.counts.iter().find(|count| count.stage == stage)
    }

    /// Checks that each stage is within the tolerance of its committed count.
    ///
    /// # Errors
    /// Names the stages that exceed it.
    pub fn compare(&self, before: &Counts) -> Result<(), String> {
        let tolerance = if self.compiler == before.compiler {
            TOLERANCE
        } else {
            println!(
                "The counts were committed with {}: the tolerance is {OTHER_COMPILER_TOLERANCE} % instead \
                 of {TOLERANCE} %.",
                before.compiler
            );
            OTHER_COMPILER_TOLERANCE
        };
        let mut failures = Vec::new();
        for count in &self.counts {
            let stage = &count.stage;
            match before.count(stage) {
                None => failures.push(format!("{stage} has no committed count")),
                Some(before) if count.excess_over(before) > tolerance => {
                    failures.push(format!(
                        "{stage} needs {:.1} % more instructions",
                        count.excess_over(before)
                    ));
                }
                Some(before) if count.size != before.size => println!(
                    "{stage}: its input differs from the committed one ({} units instead of {}).",
                    count.size, before.size
                ),
                Some(before) if count.excess_over(before) < -tolerance => {
                    println!(
                        "{stage} needs fewer instructions: commit the gain with `make bless`."
                    );
                }
                Some(_) => {}
            }
        }
        if failures.is_empty() {
            return Ok(());
        }
        let failures = failures.join(", ");
        Err(format!(
            "{failures}; the tolerance is {tolerance} %. If the cost is intended, accept it with \
             `make bless`"
        ))
    }
}
