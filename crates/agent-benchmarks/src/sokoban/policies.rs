use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use scoring_rules::{Probability, Seed};
use trajectory_metrics::random::unit;

use crate::{
    play::{conversation::PlayConversation, environment::Environment},
    sokoban::{
        environment::Sokoban,
        room::{Direction, Room, apart},
        solver::Need,
    },
};

/// The number of actions in a turn, equal to the number that the released evaluation takes.
const ACTIONS: usize = 3;
/// The number of states after which the search of a policy stops.
const MOST_STATES: usize = 1_000_000;

/// The policies that play Sokoban without a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// The least steps, except that each step is drawn at random with this probability.
    Solver {
        /// The chance of a random step.
        mistakes: Probability,
    },
    /// The step that brings boxes nearest to targets and the player nearest to a box, without looking further ahead.
    Greedy,
    /// Each direction with the same chance.
    Random,
}

impl Policy {
    /// All policies, with a solver that makes no mistakes.
    pub const ALL: [Self; 3] =
        [Self::Solver { mistakes: Probability::ZERO }, Self::Greedy, Self::Random];

    /// Returns the name: `solver`, `greedy` or `random`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solver { .. } => "solver",
            Self::Greedy => "greedy",
            Self::Random => "random",
        }
    }

    /// Creates a player with this policy, who writes the replies of a model. The seed is for random steps.
    ///
    /// Asked for the remaining cost, the player answers from the least number of remaining steps: the average cost of the turns
    /// so far, times the number of turns for these steps, from 0.8 to 1.25 times; and `impossible` if no steps solve the room
    /// within the limits.
    ///
    /// ```
    /// use agent_benchmarks::{Error, Probability, Seed, play::{Play, play, rollouts}};
    /// use agent_benchmarks::sokoban::{Policy, Room, RoomSettings, Sokoban};
    ///
    /// let room = Room::generate(&RoomSettings::EVALUATION, 123)?;
    /// let solver = Policy::Solver { mistakes: Probability::ZERO };
    /// let record = play(Play::new().conversation("123", Sokoban::new(room))?, solver.player(Seed::new(1)))?;
    /// assert!(record.succeeded);
    /// let rollouts = rollouts::<Sokoban>([&record])?;
    /// let steps = rollouts.resource("steps")?;
    /// // After each turn, what the run still spent is the least that it had to.
    /// let run = rollouts.get(0)?;
    /// assert_eq!(run.remaining(steps, 1)?, record.turns[0].need.unwrap_or(-1.0));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn player(self, seed: Seed) -> impl FnMut(&PlayConversation<Sokoban>) -> String {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.get());
        move |run| if run.is_asking() { expected(run) } else { self.turn(run, &mut rng) }
    }

    fn turn(self, run: &PlayConversation<Sokoban>, rng: &mut ChaCha8Rng) -> String {
        let mut room = run.environment().game().room().clone();
        let is_solver = matches!(self, Self::Solver { .. });
        let plan = match is_solver.then(|| room.least_steps(MOST_STATES)) {
            Some(Need::Exact { plan, .. }) => plan,
            _ => Vec::new(),
        };
        let mut plan = plan.into_iter();
        let mut steps = Vec::with_capacity(ACTIONS);
        while steps.len() < ACTIONS && !room.is_solved() {
            let planned = plan.next();
            let step = self.step(&room, planned, rng);
            room.step(step);
            steps.push(step.name());
            // The rest of the plan assumes that every planned step was made.
            if planned.is_some_and(|planned| planned != step) {
                break;
            }
        }
        format!("<answer>{}</answer>", steps.join(" || "))
    }

    fn step(self, room: &Room, planned: Option<Direction>, rng: &mut ChaCha8Rng) -> Direction {
        let any = Direction::ALL[(rng.next_u32() >> 30) as usize];
        match self {
            Self::Random => any,
            Self::Solver { mistakes } => {
                let is_mistake = unit(rng) < mistakes.get();
                planned.filter(|_| !is_mistake).unwrap_or(any)
            }
            Self::Greedy => {
                let after = |direction: &Direction| {
                    let mut room = room.clone();
                    let moved = room.step(*direction);
                    (!moved, room.distance())
                };
                // Of equally good steps, the first in an order that begins at a random position.
                let order = (0..4).map(|at| Direction::ALL[(any as usize + at) % 4]);
                order.min_by_key(after).unwrap_or(any)
            }
        }
    }
}

impl Room {
    /// The distances of boxes to their nearest targets, then the player's distance to the nearest box off target.
    fn distance(&self) -> (usize, usize) {
        let nearest =
            |at: usize, all: &[usize]| all.iter().map(|it| apart(at, *it, self.columns())).min();
        let (boxes, targets) = self.boxes_and_targets();
        let to_target = boxes.iter().filter_map(|at| nearest(*at, &targets)).sum();
        let off: Vec<usize> = boxes.into_iter().filter(|at| !targets.contains(at)).collect();
        (to_target, nearest(self.player(), &off).unwrap_or(0))
    }
}

/// Returns the expected remaining cost of a run, as an answer.
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
