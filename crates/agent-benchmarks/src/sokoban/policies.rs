use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use scoring_rules::{Probability, Seed};
use trajectory_metrics::random::unit;

use crate::{
    play::conversation::PlayConversation,
    sokoban::{environment::Sokoban, room::Direction, solver::Need},
};

/// The number of actions in a turn, equal to the number that the released evaluation takes.
const ACTIONS: usize = 3;
/// The number of states after which the search for a plan stops.
const MOST_STATES: usize = 1_000_000;

/// Creates a player that takes the least number of steps and writes replies like a model. With probability `mistakes`,
/// a step is drawn at random.
///
/// Asked for the remaining cost, the player answers from the least number of remaining steps: the average cost of the turns
/// so far, times the number of turns for these steps, from 0.8 to 1.25 times; and `impossible` if no steps solve the room
/// within the limits.
///
/// ```
/// use agent_benchmarks::{Error, Probability, Seed, play::{Play, play}};
/// use agent_benchmarks::sokoban::{Room, RoomSettings, Sokoban, solver};
///
/// let room = Room::generate(&RoomSettings::EVALUATION, 123)?;
/// let run = Play::new().conversation("123", Sokoban::new(room))?;
/// assert!(play(run, solver(Probability::ZERO, Seed::new(1)))?.succeeded);
/// # Ok::<(), Error>(())
/// ```
pub fn solver(
    mistakes: Probability,
    seed: Seed,
) -> impl FnMut(&PlayConversation<Sokoban>) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.get());
    move |run| if run.is_asking() { expected(run) } else { turn(run, mistakes, &mut rng) }
}

fn turn(run: &PlayConversation<Sokoban>, mistakes: Probability, rng: &mut ChaCha8Rng) -> String {
    let mut room = run.environment().game().room().clone();
    let plan = match room.least_steps(MOST_STATES) {
        Need::Steps(plan) => plan,
        Need::Unknown | Need::Unsolvable => Vec::new(),
    };
    let mut plan = plan.into_iter();
    let mut steps = Vec::with_capacity(ACTIONS);
    while steps.len() < ACTIONS && !room.is_solved() {
        let any = Direction::ALL[(rng.next_u32() >> 30) as usize];
        let is_mistake = unit(rng) < mistakes.get();
        let planned = plan.next();
        let step = planned.filter(|_| !is_mistake).unwrap_or(any);
        room.step(step);
        steps.push(step.name());
        // The rest of the plan assumes that every planned step was made.
        if planned.is_some_and(|planned| planned != step) {
            break;
        }
    }
    format!("<answer>{}</answer>", steps.join(" || "))
}

fn expected(run: &PlayConversation<Sokoban>) -> String {
    let steps = match run.environment().least_steps(run.turns_left()) {
        Need::Unsolvable => return "<answer>impossible</answer>".to_owned(),
        Need::Steps(plan) => plan.len() as f64,
        Need::Unknown => return "The least steps that are left are not known.".to_owned(),
    };
    let turns = (steps / ACTIONS as f64).ceil();
    run.answer_around(|name, spent| match name {
        "steps" => steps,
        _ => turns * spent / run.turns().len().max(1) as f64,
    })
}
