use budget_estimation::{Advice, Estimate, Rollouts};
use run_logs::fresh_input_tokens;

use crate::{
    error::Error,
    play::{
        environment::{End, Environment},
        settings::names,
    },
    values::record::Record,
};

/// A turn of a run in an environment.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PlayTurn {
    /// What the model was shown.
    pub observation: String,
    /// What it replied.
    pub reply: String,
    /// The reward, without penalties.
    pub reward: f64,
    /// What a form that was not understood cost, at most 0.
    pub penalty: f64,
    /// The actions that were carried out.
    pub n_actions: usize,
    /// Tokens of the request and of the reply, if the reply says.
    pub tokens: [Option<u64>; 2],
    /// What was spent of each of [`Environment::RESOURCES`].
    pub spent: Vec<f64>,
    /// The least that then still had to be spent of the first resource, as far as the environment knows.
    pub need: Option<f64>,
    /// What [`Environment::FEATURES`] then were.
    pub features: Vec<f64>,
    /// What the model answered after the turn; `None` if it was not asked.
    pub answer: Option<String>,
    /// What it answered for each resource that was asked for.
    pub estimates: Vec<Estimate>,
    /// What followed from the answers.
    pub advice: Option<Advice>,
}

/// The record of a run in an environment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayRecord {
    /// The run as a log: one turn for each request, questions included.
    pub record: Record,
    /// The turns.
    pub turns: Vec<PlayTurn>,
    /// How it ended; `None` if it was not played to its end.
    pub end: Option<End>,
    /// Whether the task was done.
    pub succeeded: bool,
    /// Whether a request and its reply had more tokens than a turn may have.
    pub is_truncated: bool,
    /// Tokens of questions and of answers to them, if the replies say.
    pub asking: [Option<u64>; 2],
}

impl PlayRecord {
    /// The sum of rewards and penalties.
    #[must_use]
    pub fn reward(&self) -> f64 {
        self.turns.iter().map(|turn| turn.reward + turn.penalty).sum()
    }

    /// For each turn, the tokens of the request that no earlier turn had, those of the reply, and both.
    fn tokens(&self) -> Vec<[Option<f64>; 3]> {
        let of = |place: usize| -> Vec<Option<i64>> {
            let tokens = self.turns.iter().map(|turn| turn.tokens[place]);
            tokens.map(|tokens| tokens.and_then(|tokens| i64::try_from(tokens).ok())).collect()
        };
        let output = of(1);
        let fresh = fresh_input_tokens(&of(0), &output);
        let number = |tokens: Option<i64>| tokens.map(|tokens| tokens as f64);
        let turns = fresh.into_iter().zip(output);
        turns
            .map(|(fresh, output)| {
                let total = fresh.zip(output).map(|(fresh, output)| fresh + output);
                [fresh, output, total].map(number)
            })
            .collect()
    }
}

/// The rollouts of runs in one kind of environment: `fresh_input_tokens` (without what requests repeat), `output_tokens`, `total_tokens` of both, and
/// what the environment spends. Their feature `need` is the least that still had to be spent of the first resource of the
/// environment, where that is known, beside [`Environment::FEATURES`]. Runs without a turn are left out.
///
/// # Errors
///
/// [`Error::BudgetEstimation`] for runs of another environment.
pub fn rollouts<'a, E: Environment>(
    records: impl IntoIterator<Item = &'a PlayRecord>,
) -> Result<Rollouts, Error> {
    let features = ["need"].into_iter().chain(E::FEATURES.iter().copied());
    let mut rollouts = Rollouts::new(names::<E>())?.with_features(features)?;
    for record in records {
        let turns = record.turns.iter().zip(record.tokens());
        let costs: Vec<Option<f64>> = turns
            .flat_map(|(turn, tokens)| {
                tokens.into_iter().chain(turn.spent.iter().copied().map(Some))
            })
            .collect();
        if costs.is_empty() {
            continue;
        }
        let rollout = rollouts.push_partly_known(&costs, record.succeeded)?;
        rollouts.set_id(rollout, record.record.run.id.clone())?;
        for (at, turn) in (1..).zip(&record.turns) {
            rollouts.set_content(rollout, at, turn.reply.clone())?;
            rollouts.set_observation(rollout, at, turn.observation.clone())?;
            if let Some(need) = turn.need {
                rollouts.set_feature(rollout, at, "need", need)?;
            }
            for (name, value) in E::FEATURES.iter().zip(&turn.features) {
                rollouts.set_feature(rollout, at, name, *value)?;
            }
        }
    }
    Ok(rollouts)
}
