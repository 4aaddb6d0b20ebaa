use budget_estimation::{
    Rollouts,
    bagen::{FeasibilityProbe, ProbeMethod},
};
use run_logs::Reply;
use scoring_rules::Seed;

use crate::{
    error::Error,
    play::{
        environment::{Acted, End, Environment, answer},
        record::{PlayRecord, rollouts},
    },
    warehouse::{
        actions::{Action, beginning},
        catalogue::{Cents, DAYS, STEPS, WEEKS},
        demand::{Demand, Start},
        game::Game,
    },
};

/// The maximum number of actions in a reply; further actions are left out. Chosen.
const MOST_ACTIONS: usize = 100;

/// The warehouse as an environment for a model. A turn is a step of the game, so that a run has 11 turns.
///
/// Forms of turns, actions and rewards are the released ones; the sentences are this crate's own, and
/// [`Play::with_instruction`](crate::play::Play::with_instruction) takes the released ones. Actions of a reply that cannot be
/// carried out are listed in the next turn with the reason. Turns spend `time_weeks`, `warehouse_item_weeks` and
/// `cumulative_cost_usd`, and show estimators the feature `cash_usd`. With a target, a run succeeds if it ends with at least the
/// target in cash and without bankruptcy. Without one, a run has no outcome.
///
/// ```
/// use agent_benchmarks::{Seed, play::Environment, warehouse::{Start, Warehouse}};
///
/// let mut warehouse = Warehouse::new(Start::Empty, Seed(1));
/// let acted = warehouse.act(&"<think>Cables are fast.</think><answer>produce JCA374 2 air; draw_credit 300000</answer>".into());
/// assert_eq!((acted.n_actions, acted.reward < 0.0), (1, true));
/// assert_eq!(acted.problems, ["\"draw_credit 300000\": $300,000 is more than the $200,000 that the credit line has left"]);
/// assert_eq!(acted.spent, [2.0, 0.0, 3_036.0 + 16_000.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Warehouse {
    game: Game,
    target: Option<Cents>,
    /// The text after the state in the next turn: problems and flows of the latest step.
    report: String,
}

impl Warehouse {
    /// Creates a game that is drawn from a seed.
    #[must_use]
    pub fn new(start: Start, seed: Seed) -> Self {
        Self::with_game(Game::new(start, Demand::draw(start, seed), seed))
    }

    /// Creates an environment in which a given game is played.
    #[must_use]
    pub const fn with_game(game: Game) -> Self {
        Self { game, target: None, report: String::new() }
    }

    /// Sets the target for the final cash of a run.
    #[must_use]
    pub const fn with_target(mut self, target: Option<Cents>) -> Self {
        self.target = target;
        self
    }

    /// Returns the game in its current state.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }
}

impl Environment for Warehouse {
    const RESOURCES: &'static [&'static str] =
        &["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"];
    const FEATURES: &'static [&'static str] = &["cash_usd"];

    fn instruction(&self) -> String {
        let target = self.target.map_or(String::new(), |target| {
            format!(" The run succeeds only if cash is at least {target} at its end.")
        });
        let text = include_str!("instruction.txt").trim_end().replace("{target}", &target);
        text.replace("{steps}", &STEPS.to_string()).replace("{days}", &DAYS.to_string())
    }

    fn observation(&self) -> String {
        let earned = self
            .game
            .latest()
            .map_or(String::new(), |flows| format!("Reward:\n{:?}\n", flows.reward().dollars()));
        let (turn, left) = (self.game.steps() + 1, STEPS.saturating_sub(self.game.steps()));
        let (state, report) = (self.game.observation(), &self.report);
        format!("{earned}\nTurn {turn}:\nState:\n{state}{report}You have {left} actions left.\n")
    }

    fn act(&mut self, reply: &Reply) -> Acted {
        let mut acted = Acted::default();
        let parts = answer(&reply.text).unwrap_or_default().split(';').map(str::trim);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let before = self.game.cash();
        for part in parts.iter().take(MOST_ACTIONS) {
            let read = part.parse::<Action>();
            acted.is_read |= read.is_ok();
            match read.and_then(|action| self.game.act(action)) {
                Ok(()) => acted.n_actions += 1,
                Err(refusal) => acted.problems.push(format!("{:?}: {refusal}", beginning(part))),
            }
        }
        if parts.is_empty() {
            acted.problems.push("no action between <answer> and </answer>".to_owned());
        }
        if parts.len() > MOST_ACTIONS {
            let left_out = parts.len() - MOST_ACTIONS;
            acted
                .problems
                .push(format!("{left_out} actions beyond the first {MOST_ACTIONS} are left out"));
        }
        if self.end().is_some() {
            acted.spent = vec![0.0; Self::RESOURCES.len()];
            return acted;
        }
        let flows = self.game.advance();
        let mut problems: String =
            acted.problems.iter().map(|it| format!("\nNot carried out: {it}")).collect();
        if !problems.is_empty() {
            problems.push('\n');
        }
        self.report = problems + &flows.report(before, self.game.cash());
        acted.reward = flows.reward().dollars();
        acted.spent = vec![WEEKS as f64, flows.item_weeks as f64, flows.spent().dollars()];
        acted
    }

    fn has_goal(&self) -> bool {
        self.target.is_some()
    }

    fn end(&self) -> Option<End> {
        let reaches = self.target.is_none_or(|target| self.game.cash() >= target);
        match self.game.has_ended() {
            true if self.game.is_bankrupt() || !reaches => Some(End::Failed),
            true => Some(End::Succeeded),
            false => None,
        }
    }

    fn features(&self) -> Vec<f64> {
        vec![self.game.cash().dollars()]
    }
}

/// Converts runs to rollouts with a target and budgets for each run. Half of the runs meet their target and budgets;
/// the others miss at least one.
///
/// Runs have no success by themselves, so each gets a probe of appendix B.4: a minimum final cash, the key `target_cash_usd` in
/// whole dollars, and maximum amounts of the three resources, which are caps. [`ProbeMethod`] says how unreachable ones are
/// drawn. The paper's seed is 42.
///
/// Runs that did not reach their end are left out.
///
/// # Errors
///
/// [`Error::ScoringRules`] without a run.
///
/// ```
/// use agent_benchmarks::{Error, Seed, play::{Play, play}};
/// use agent_benchmarks::budget_estimation::bagen::ProbeMethod;
/// use agent_benchmarks::warehouse::{STEPS, Start, Warehouse, base_stock, probed_rollouts};
///
/// let mut records = Vec::new();
/// for seed in 0..4 {
///     let warehouse = Warehouse::new(Start::Empty, Seed(seed));
///     let run = Play::new().with_most_turns(STEPS).conversation(&seed.to_string(), warehouse)?;
///     records.push(play(run, base_stock())?);
/// }
/// let (rollouts, probes) = probed_rollouts(&records, ProbeMethod::Described, Seed(42))?;
/// assert_eq!(probes.iter().filter(|probe| probe.reachable).count(), 2);
/// for (rollout, probe) in rollouts.iter().zip(&probes) {
///     assert_eq!(rollout.is_feasible()?, probe.reachable);
/// }
/// # Ok::<(), Error>(())
/// ```
pub fn probed_rollouts<'a>(
    records: impl IntoIterator<Item = &'a PlayRecord>,
    method: ProbeMethod,
    seed: Seed,
) -> Result<(Rollouts, Vec<FeasibilityProbe>), Error> {
    let cash_of = |record: &'a PlayRecord| {
        let cash = record.turns.last()?.features.first().copied();
        cash.filter(|_| record.end.is_some()).map(|cash| (record, cash))
    };
    let (records, cash): (Vec<_>, Vec<_>) = records.into_iter().filter_map(cash_of).unzip();
    let rollouts = rollouts::<Warehouse>(records)?.with_keys(["target_cash_usd"])?;
    let [weeks, items, money] = ["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"]
        .map(|name| rollouts.resource(name));
    let (mut probed, probes) = rollouts.probed(&cash, weeks?, &[items?, money?], method, seed)?;
    for (run, probe) in probes.iter().enumerate() {
        probed.set_key(run, "target_cash_usd", format!("{:.0}", probe.target))?;
    }
    Ok((probed, probes))
}
