//! A random schedule: settings, what clients do in each second, and how the service behaves.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// A schedule; a function of its seed.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub is_history: bool,
    pub slots: usize,
    pub queue: usize,
    /// Longest wait of a request for a slot, in milliseconds.
    pub max_wait: u64,
    /// Share of requests that the service does not answer normally, in percent.
    pub fault_percent: u64,
    /// How long `history` remembers a user, in seconds.
    pub horizon: u64,
    /// Decoys of each category.
    pub decoys: usize,
    /// Smallest number of categories.
    pub diversity: usize,
    /// What happens in each second, before its batch.
    pub seconds: Vec<Vec<Action>>,
}

/// What a client does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Sends a query and waits for its result.
    Ask(Ask),
    /// Cancels the query with this number.
    Cancel(usize),
    /// Closes the connection of the query with this number.
    Disconnect(usize),
    /// Repeats the query with this number.
    Repeat(usize),
    /// The operator changes the queue bound.
    Reload(usize),
    /// The process is killed, and another one starts with its files.
    Restart,
    /// A step of the wall clock, in milliseconds.
    StepWallClock(i64),
}

/// A query of a client.
#[derive(Clone, Debug)]
pub struct Ask {
    pub number: usize,
    pub user: usize,
    pub street: u32,
    pub offset: f64,
    pub k: u32,
    pub dt: u32,
    pub question: Option<Wanted>,
}

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub operation: WantedOperation,
    /// Number of the category; `None` asks for all objects.
    pub category: Option<usize>,
}

/// Operation of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedOperation {
    Nearest(u32),
    Within(u32),
}

impl Plan {
    /// Whether the process is killed in this schedule.
    pub fn has_restart(&self) -> bool {
        self.seconds.iter().flatten().any(|action| matches!(action, Action::Restart))
    }

    /// Builds the schedule of a seed.
    pub fn random(seed: u64) -> Plan {
        let mut random = StdRng::seed_from_u64(seed);
        let streets: Vec<u32> = (0..3).map(|_| random.random_range(0..400)).collect();
        let users = random.random_range(2..14);
        let mut asked = 0;
        let seconds = (0..random.random_range(3..10)).map(|_| {
            let actions = random.random_range(0..8);
            (0..actions).map(|_| action(&mut random, &mut asked, users, &streets)).collect()
        });
        let mut seconds: Vec<Vec<Action>> = seconds.collect();
        disturb(&mut random, &mut seconds);
        let mut categories = StdRng::seed_from_u64(!seed);
        let mut decoys = |values: [usize; 4]| values[categories.random_range(0..4)];
        let (decoys, diversity) = (decoys([0, 0, 1, 3]), decoys([0, 0, 2, 5]));
        seconds.iter_mut().flatten().for_each(|action| choose_category(action, &mut categories));
        Plan {
            decoys,
            diversity,
            seed,
            is_history: random.random_bool(0.4),
            slots: random.random_range(1..4),
            queue: random.random_range(5..200),
            max_wait: random.random_range(500..20_000),
            fault_percent: [0, 10, 50, 100][random.random_range(0..4)],
            horizon: [2, 5, 60][random.random_range(0..3)],
            seconds,
        }
    }
}

/// Adds restarts and steps of the wall clock to some schedules.
fn disturb(random: &mut StdRng, seconds: &mut [Vec<Action>]) {
    let mut insert = |random: &mut StdRng, action| {
        let second = random.random_range(0..seconds.len());
        let position = random.random_range(0..=seconds[second].len());
        seconds[second].insert(position, action);
    };
    for _ in 0..[0, 0, 0, 1, 1, 2][random.random_range(0..6)] {
        insert(random, Action::Restart);
    }
    for _ in 0..[0, 0, 1, 2][random.random_range(0..4)] {
        let millis = [2_000, 3_600_000, 86_400_000][random.random_range(0..3)];
        let is_back = random.random_bool(0.5);
        insert(random, Action::StepWallClock(if is_back { -millis } else { millis }));
    }
}

/// Gives a question one of few categories, or none.
fn choose_category(action: &mut Action, random: &mut StdRng) {
    if let Action::Ask(Ask { question: Some(wanted), .. }) = action {
        wanted.category = random.random_bool(0.6).then(|| random.random_range(0..4));
    }
}

fn action(random: &mut StdRng, asked: &mut usize, users: usize, streets: &[u32]) -> Action {
    let earlier = |random: &mut StdRng, asked: usize| random.random_range(0..asked);
    match random.random_range(0..12) {
        0 if *asked > 0 => Action::Cancel(earlier(random, *asked)),
        1 if *asked > 0 => Action::Disconnect(earlier(random, *asked)),
        2 if *asked > 0 => Action::Repeat(earlier(random, *asked)),
        3 => Action::Reload(random.random_range(1..200)),
        _ => {
            let operation = match random.random_range(0..5) {
                0 => None,
                1 | 2 => Some(WantedOperation::Nearest(random.random_range(1..5))),
                _ => Some(WantedOperation::Within(random.random_range(50..900))),
            };
            let question = operation.map(|operation| Wanted { operation, category: None });
            *asked += 1;
            Action::Ask(Ask {
                number: *asked - 1,
                user: random.random_range(0..users),
                street: streets[random.random_range(0..streets.len())],
                offset: random.random_range(0.0..1.0),
                k: random.random_range(2..5),
                dt: random.random_range(0..6),
                question,
            })
        }
    }
}
