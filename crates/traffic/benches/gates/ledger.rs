//! The committed counts: a small text file beside this one.

use std::fmt::Write as _;
use std::str::FromStr;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/gates/instructions.txt");

/// How far above its number a stage may be, in per cent.
pub const TOLERANCE: f64 = 5.0;

/// The same where another compiler was at work than when the numbers were committed.
const TOLERANCE_OF_ANOTHER_COMPILER: f64 = 25.0;

const HEAD: &str = "\
# What each stage of the fast engine costs on the portable path: stage, how many of what it was
# given, instructions for each. `make gates` compares, `make bless` renews.
";

/// What was counted, and whose code it was.
pub struct Ledger {
    /// The compiler, and the machine it built for.
    pub compiler: String,
    /// Stage by stage.
    pub counts: Vec<Count>,
}

/// The count of one stage.
pub struct Count {
    /// Its name.
    pub stage: String,
    /// How many units it was given.
    pub size: usize,
    /// What a unit is.
    pub unit: String,
    /// Instructions for each.
    pub each: f64,
}

impl Count {
    /// How much more this is, in per cent.
    pub fn over(&self, before: &Count) -> f64 {
        (self.each / before.each - 1.0) * 100.0
    }
}

impl FromStr for Count {
    type Err = String;

    fn from_str(line: &str) -> Result<Count, String> {
        let wrong = || format!("{FILE}: {line:?} should be STAGE SIZE UNIT INSTRUCTIONS");
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[stage, size, unit, each] = &words[..] else { return Err(wrong()) };
        let size = size.parse().map_err(|_| wrong())?;
        let each = each.parse().map_err(|_| wrong())?;
        Ok(Count { stage: stage.into(), size, unit: unit.into(), each })
    }
}

impl Ledger {
    /// What is committed.
    pub fn read() -> Result<Ledger, String> {
        let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let compiler = lines.next().ok_or(format!("{FILE} is empty; `make bless` fills it"))?;
        let counts: Result<_, _> = lines.map(Count::from_str).collect();
        Ok(Ledger { compiler: compiler.into(), counts: counts? })
    }

    /// Makes this what is committed.
    pub fn write(&self) -> Result<(), String> {
        let mut text = format!("{HEAD}{}\n", self.compiler);
        for Count { stage, size, unit, each } in &self.counts {
            let _ = writeln!(text, "{stage:20} {size:>8} {unit:6} {each:>8.1}");
        }
        // Never half a file: renamed when complete.
        let new = format!("{FILE}.new");
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, FILE));
        written.map_err(|error| format!("{FILE}: {error}"))
    }

    /// The count of a stage.
    pub fn count(&self, stage: &str) -> Option<&Count> {
        self.counts.iter().find(|count| count.stage == stage)
    }

    /// Whether every stage is within the tolerance of its number. Says what it was compared with
    /// if that is not the same.
    pub fn compare(&self, before: &Ledger) -> Result<(), String> {
        let tolerance = if self.compiler == before.compiler {
            TOLERANCE
        } else {
            println!(
                "The numbers were committed with {}: {TOLERANCE_OF_ANOTHER_COMPILER} % instead of \
                 {TOLERANCE} % are let pass.",
                before.compiler
            );
            TOLERANCE_OF_ANOTHER_COMPILER
        };
        let mut faults = Vec::new();
        for count in &self.counts {
            let stage = &count.stage;
            match before.count(stage) {
                None => faults.push(format!("{stage} has no number yet")),
                Some(before) if count.over(before) > tolerance => {
                    faults.push(format!("{stage} needs {:.1} % more", count.over(before)));
                }
                Some(before) if count.size != before.size => println!(
                    "{stage}: its input is another than when its number was committed ({} instead \
                     of {}).",
                    count.size, before.size
                ),
                Some(before) if count.over(before) < -tolerance => {
                    println!("{stage} needs less now: `make bless` keeps it so.");
                }
                Some(_) => {}
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        let faults = faults.join(", ");
        Err(format!(
            "{faults}; {tolerance} % are let pass. Where that is the price of something \
             better, `make bless` accepts it"
        ))
    }
}
