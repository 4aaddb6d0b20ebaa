use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use scoring_rules::{Probability, Seed};

use crate::{
    play::{conversation::PlayConversation, environment::Environment},
    sokoban::{
        environment::Sokoban,
        room::{Direction, Room},
        solver::Need,
    },
};

/// Actions of a turn, as many as the released evaluation takes.
const ACTIONS: usize = 3;
/// States after which the search of a policy is given up.
const MOST_STATES: usize = 1_000_000;

/// How Sokoban is played without a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// The least steps, but each step is drawn at random with this chance.
    Solver {
        /// The chance of a random step.
        mistakes: Probability,
    },
    /// The step after which boxes are nearest to targets and the player to a box, without looking further ahead.
    Greedy,
    /// Each direction with the same chance.
    Random,
}

/// A player with a policy, which writes the replies of a model.
///
/// Asked for what is still to come, it answers from the least steps that are left: what its turns spent so far on
/// average, times the turns that these take, from 0.8 to 1.25 times; and `impossible` where no steps solve the room within
/// the limits.
///
/// ```
/// use agent_benchmarks::{Error, Probability, Seed, play::{Play, play, rollouts}};
/// use agent_benchmarks::sokoban::{Player, Policy, Room, RoomSettings, Sokoban};
///
/// let room = Room::generate(&RoomSettings::EVALUATION, 123)?;
/// let policy = Policy::Solver { mistakes: Probability::new(0.0)? };
/// let mut player = Player::new(policy, Seed::new(1));
/// let record = play(Play::new().conversation("123", Sokoban::new(room))?, |run| player.reply(run))?;
/// assert!(record.succeeded);
/// let rollouts = rollouts::<Sokoban>([&record])?;
/// let steps = rollouts.resource("steps")?;
/// // After each turn, what the run still spent is the least that it had to.
/// let run = rollouts.get(0)?;
/// assert_eq!(run.remaining(steps, 1)?, record.turns[0].need.unwrap_or(-1.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Player {
    policy: Policy,
    rng: ChaCha8Rng,
}

impl Player {
    /// A player whose random steps are those of a seed.
    #[must_use]
    pub fn new(policy: Policy, seed: Seed) -> Self {
        Self { policy, rng: ChaCha8Rng::seed_from_u64(seed.get()) }
    }

    /// The reply to what a run waits for: actions, or an answer to a question.
    pub fn reply(&mut self, run: &PlayConversation<Sokoban>) -> String {
        if run.is_asking() {
            return expected(run);
        }
        let mut room = run.environment().game().room().clone();
        let plan = match self.policy {
            Policy::Solver { .. } => match room.least_steps(MOST_STATES) {
                Need::Exact { plan, .. } => plan,
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let mut steps = Vec::with_capacity(ACTIONS);
        for at in 0..ACTIONS {
            if room.is_solved() {
                break;
            }
            let step = self.step(&room, plan.get(at).copied());
            room.step(step);
            steps.push(step.name());
            // What was planned starts from where the plan leads.
            if plan.get(at).is_some_and(|planned| *planned != step) {
                break;
            }
        }
        format!("<answer>{}</answer>", steps.join(" || "))
    }

    fn step(&mut self, room: &Room, planned: Option<Direction>) -> Direction {
        let any = Direction::ALL[(self.rng.next_u32() >> 30) as usize];
        match self.policy {
            Policy::Random => any,
            Policy::Solver { mistakes } => {
                // A number from [0, 1) with 53 bits.
                let drawn = (self.rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                planned.filter(|_| drawn >= mistakes.get()).unwrap_or(any)
            }
            Policy::Greedy => {
                let after = |direction: &Direction| {
                    let mut room = room.clone();
                    let moved = room.step(*direction);
                    (!moved, room.distance())
                };
                // The first of equally good ones in an order that begins at a random place.
                let start = any as usize;
                let order = (0..4).map(|at| Direction::ALL[(start + at) % 4]);
                order.min_by_key(after).unwrap_or(any)
            }
        }
    }
}

impl Room {
    /// The distances of boxes to their nearest targets, then that of the player to the nearest box off target.
    fn distance(&self) -> (usize, usize) {
        let place = |at: usize| (at / self.columns(), at % self.columns());
        let between = |a: usize, b: usize| {
            let ((row, column), (other, beside)) = (place(a), place(b));
            row.abs_diff(other) + column.abs_diff(beside)
        };
        let nearest = |at: usize, all: &[usize]| all.iter().map(|it| between(at, *it)).min();
        let (boxes, targets) = self.boxes_and_targets();
        let to_target = boxes.iter().filter_map(|at| nearest(*at, &targets)).sum();
        let off: Vec<usize> = boxes.into_iter().filter(|at| !targets.contains(at)).collect();
        (to_target, nearest(self.player(), &off).unwrap_or(0))
    }
}

/// What a run expects to spend yet, as an answer.
fn expected(run: &PlayConversation<Sokoban>) -> String {
    let need = match run.environment().need(run.turns_left()) {
        Some(f64::INFINITY) => return "<answer>impossible</answer>".to_owned(),
        Some(need) => need,
        None => return "The least steps that are left are not known.".to_owned(),
    };
    let turns = (need / ACTIONS as f64).ceil();
    run.answer_around(|name, spent| match name {
        "steps" => need,
        _ => turns * spent / run.turns().len().max(1) as f64,
    })
}
