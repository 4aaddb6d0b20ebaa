use budget_estimation::{Advice, Estimate, Rollouts};
use run_logs::fresh_input_tokens;

use crate::{
    error::Error,
    play::environment::{End, Environment, names},
    values::record::Record,
};

/// One turn of a run in an environment.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PlayTurn {
    /// What the model observed since its last reply: the results of its calls, and the observation.
    pub observation: String,
    /// The text of the reply of the model. Its calls are in the [run](Record::run).
    pub reply: String,
    /// The reward, without penalties.
    pub reward: f64,
    /// The penalty for a reply whose form was not understood, at most 0.
    pub penalty: f64,
    /// The number of actions that were carried out.
    pub n_actions: usize,
    /// The numbers of tokens of the request and of the reply, if the reply states them.
    pub tokens: [Option<u64>; 2],
    /// The number of hidden reasoning tokens in the reply, which later requests do not repeat.
    pub reasoning_tokens: u64,
    /// The amount of each of [`Environment::RESOURCES`] that was spent.
    pub spent: Vec<f64>,
    /// The values of [`Environment::FEATURES`] after the turn.
    pub features: Vec<f64>,
    /// The model's answer to the question after the turn; `None` if there was no question.
    pub answer: Option<String>,
    /// The estimate for each requested resource.
    pub estimates: Vec<Estimate>,
    /// The advice that follows from the estimates.
    pub advice: Option<Advice>,
    /// The numbers of tokens of the question after the turn and of its answer, if the reply states them; 0 without a
    /// question. Like every request, a question repeats the run so far.
    pub asking: [Option<u64>; 2],
    /// The number of hidden reasoning tokens in that answer.
    pub(super) asking_reasoning: u64,
    /// Whether later requests repeat the question and the answer.
    pub(super) is_kept: bool,
}

/// The name of the score of a run without a goal.
pub(super) const REWARD: &str = "reward";

/// The record of a run in an environment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayRecord {
    /// The run as a log: one turn for each request, questions included.
    pub record: Record,
    /// The first instruction to the model.
    pub instruction: String,
    /// The turns.
    pub turns: Vec<PlayTurn>,
    /// How the run ended; `None` if it was not played to its end.
    pub end: Option<End>,
    /// Whether the task was completed; in an environment without a goal, whether the last step was reached.
    pub succeeded: bool,
    /// Whether a request and its reply exceeded the maximum number of tokens of a turn.
    pub is_truncated: bool,
    /// Whether a stop rule or a cap ended the run, which leaves its outcome unknown.
    pub is_stopped: bool,
}

impl PlayRecord {
    /// Returns the sum of rewards and penalties.
    #[must_use]
    pub fn reward(&self) -> f64 {
        self.turns.iter().map(|turn| turn.reward + turn.penalty).sum()
    }

    /// Returns two totals of tokens: that of the requests that asked a question during the run, and that of the
    /// answers. A total is `None` if one of its counts is unknown.
    #[must_use]
    pub fn asking(&self) -> [Option<u64>; 2] {
        [0, 1].map(|at| self.turns.iter().map(|turn| turn.asking[at]).sum())
    }
}

/// Returns three numbers of tokens for each turn: the tokens of its request that were not in an earlier request, the tokens of
/// the reply, and their sum.
pub(super) fn tokens(turns: &[PlayTurn]) -> Vec<[Option<f64>; 3]> {
    let known = |tokens: Option<u64>| tokens.and_then(|tokens| i64::try_from(tokens).ok());
    let visible = |[input, output]: [Option<u64>; 2], hidden: u64| {
        (known(input), known(output.map(|tokens| tokens.saturating_sub(hidden))))
    };
    // Stored questions are between turns, so that no turn counts their tokens.
    let requests = turns.iter().flat_map(|turn| {
        let question = turn.is_kept.then(|| visible(turn.asking, turn.asking_reasoning));
        std::iter::once(visible(turn.tokens, turn.reasoning_tokens)).chain(question)
    });
    let (input, output): (Vec<_>, Vec<_>) = requests.unzip();
    let mut fresh = fresh_input_tokens(&input, &output).into_iter();
    let of_turn = |turn: &PlayTurn| {
        let fresh = if turn.is_kept { [fresh.next(), fresh.next()][0] } else { fresh.next() };
        let (fresh, output) = (fresh.flatten(), known(turn.tokens[1]));
        let total = fresh.zip(output).map(|(fresh, output)| fresh + output);
        [fresh, output, total].map(|tokens| tokens.map(|tokens| tokens as f64))
    };
    turns.iter().map(of_turn).collect()
}

/// Converts runs in one kind of environment to rollouts. The resources are `fresh_input_tokens` (input without repeated
/// parts of requests), `output_tokens`, `total_tokens` (the sum of both), and the resources of the environment; the
/// features are [`Environment::FEATURES`]. A run is marked as cut off ([`Rollouts::set_censored`]) if a stop rule
/// or a cap ended it, if it was not played to its end, or if you set its [outcome](run_logs::Run::outcome) to `None`.
/// Runs without a turn are left out.
///
/// # Errors
///
/// [`Error::BudgetEstimation`] for runs of another environment.
pub fn rollouts<'a, E: Environment>(
    records: impl IntoIterator<Item = &'a PlayRecord>,
) -> Result<Rollouts, Error> {
    let mut rollouts = Rollouts::new(names::<E>())?.with_features(E::FEATURES.iter().copied())?;
    for record in records {
        let turns = record.turns.iter().zip(tokens(&record.turns));
        let costs: Vec<Option<f64>> = turns
            .flat_map(|(turn, tokens)| {
                tokens.into_iter().chain(turn.spent.iter().copied().map(Some))
            })
            .collect();
        if costs.is_empty() {
            continue;
        }
        let rollout = rollouts.push(&costs, record.succeeded)?;
        rollouts.set_id(rollout, record.record.run.id.clone())?;
        // Without a goal, the reward takes the place of the outcome.
        let run = &record.record.run;
        let is_graded = run.outcome.is_some() || run.scores.contains_key(REWARD);
        if record.is_stopped || record.end.is_none() || !is_graded {
            rollouts.set_censored(rollout)?;
        }
        rollouts.set_content(rollout, 0, record.instruction.clone())?;
        for (at, turn) in (1..).zip(&record.turns) {
            rollouts.set_content(rollout, at, turn.reply.clone())?;
            rollouts.set_observation(rollout, at, turn.observation.clone())?;
            for (name, value) in E::FEATURES.iter().zip(&turn.features) {
                rollouts.set_feature(rollout, at, name, *value)?;
            }
        }
    }
    Ok(rollouts)
}
