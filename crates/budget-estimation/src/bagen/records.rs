use std::io::Write;

use serde_json::{Number, Value, json};

use crate::{
    bagen::targets::{TargetRounding, TargetWidth},
    error::Error,
    estimates::estimate::Estimate,
    replay::prefix::{Prefix, prefix},
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts},
};

/// Writes records for training a model to estimate the remaining cost after each prefix of recorded runs, as JSON
/// Lines.
///
/// The records follow the formats of the libraries verl and TRL: `messages` for supervised training, and for reinforcement
/// learning `prompt`, `data_source`, `ability`, `reward_model` and `extra_info`. The caller makes the
/// messages of the prompt, each with a role and a content, from the [`Prefix`], which does not show the future. The target is the interval of
/// [`Estimate::training_target`] around the remaining cost if the run is feasible, and otherwise `impossible`. Feasible
/// prefixes with a remaining cost of 0 are excluded.
///
/// ```
/// use budget_estimation::{
///     Error, Prefix, Rollouts,
///     bagen::{TargetWidth, TrainingRecords},
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let records = TrainingRecords::new(&rollouts, tokens, TargetWidth::Share(0.1));
/// assert_eq!(records.probes()?, [(0, 0), (0, 1), (0, 2)]);
///
/// let mut file = Vec::new();
/// let prompt = |prefix: &Prefix<'_>| vec![("user", format!("Turn {}?", prefix.turns()))];
/// records.write_supervised(&[(0, 1)], prompt, &mut file)?;
/// let line = String::from_utf8(file).unwrap();
/// assert!(line.contains(r#"{"content":"<answer>[90, 110]</answer>","role":"assistant"}"#));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E.
#[derive(Clone, Debug)]
pub struct TrainingRecords<'a> {
    /// The recorded runs.
    pub rollouts: &'a Rollouts,
    /// The resource whose remaining cost the model learns to estimate.
    pub resource: Resource,
    /// The width of the intervals in the targets.
    pub width: TargetWidth,
    /// The rounding of the targets.
    pub rounding: TargetRounding,
    /// Whether infeasible runs also have a record after their last turn, k = T, as in the released code of BAGEN.
    pub probes_after_last_turn: bool,
    /// The resource that counts the input of the first turn. This input then counts as known before that turn, k = 0,
    /// so that the remaining cost at k = 0 excludes the cost of the prompt.
    pub first_input: Option<Resource>,
}

/// The messages of a prompt, each with a role, such as `user`, and a content.
type Messages = Vec<(&'static str, String)>;

impl<'a> TrainingRecords<'a> {
    /// Creates records with intervals of this width around the remaining cost, with all options off.
    #[must_use]
    pub fn new(rollouts: &'a Rollouts, resource: Resource, width: TargetWidth) -> Self {
        Self {
            rollouts,
            resource,
            width,
            rounding: TargetRounding::default(),
            probes_after_last_turn: false,
            first_input: None,
        }
    }

    /// Returns the prefixes that have a record, as pairs of a rollout and k, the number of its completed turns. For T
    /// turns, k is from 0 to T - 1; with [`Self::probes_after_last_turn`], an infeasible run also has one at k = T.
    /// [`split_rollouts`](crate::bagen::split_rollouts) and
    /// [`Rollouts::released_prefixes`](crate::Rollouts::released_prefixes) help to choose among them.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if a cost is unknown; [`Error::NoSuchResource`] for a handle from other
    /// rollouts.
    pub fn probes(&self) -> Result<Vec<(usize, usize)>, Error> {
        self.rollouts.column(self.resource)?;
        let mut probes = Vec::new();
        for rollout in self.rollouts.iter() {
            let feasible = rollout.is_feasible()?;
            let turns = rollout.turns() + usize::from(self.probes_after_last_turn && !feasible);
            for turn in 0..turns {
                if !feasible || self.remaining(&rollout, turn)? > 0.0 {
                    probes.push((rollout.index(), turn));
                }
            }
        }
        Ok(probes)
    }

    /// Writes one record for supervised training per prefix in `probes`. `prompt` makes the first messages, and the
    /// assistant gives the target:
    /// `{"id", "messages": [{"content", "role": "user"}, {"content", "role": "assistant"}], "turn"}`.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] and [`Error::NoSuchTurn`] for a probe that does not exist; the errors of
    /// [`Estimate::training_target`]; [`Error::UnknownCost`] if a cost is unknown; [`Error::Line`] if a line cannot
    /// be written.
    pub fn write_supervised(
        &self,
        probes: &[(usize, usize)],
        prompt: impl FnMut(&Prefix<'_>) -> Messages,
        writer: impl Write,
    ) -> Result<(), Error> {
        self.write(probes, prompt, writer, |id, turn, mut messages, target| {
            let answer = format!("<answer>{}</answer>", target.answer);
            messages.push(json!({"role": "assistant", "content": answer}));
            json!({"id": id, "turn": turn, "messages": messages})
        })
    }

    /// Writes one record for reinforcement learning per prefix in `probes`, with the values for
    /// [`Estimate::rule_reward`]: `{"ability": "budget_estimation", "data_source": "budget_estimation", "extra_info":
    /// {"id", "is_possible", "remaining_tokens", "turn"}, "prompt": [{"content", "role": "user"}], "reward_model":
    /// {"ground_truth", "style": "rule"}}`. `prompt` makes the messages of the prompt. The ground truth is the answer
    /// to learn, without tags. `remaining_tokens` is the remaining cost, even if the run could not succeed.
    ///
    /// # Errors
    ///
    /// As [`TrainingRecords::write_supervised`].
    pub fn write_reinforcement(
        &self,
        probes: &[(usize, usize)],
        prompt: impl FnMut(&Prefix<'_>) -> Messages,
        writer: impl Write,
    ) -> Result<(), Error> {
        const NAME: &str = "budget_estimation";
        self.write(probes, prompt, writer, |id, turn, prompt, target| {
            let Target { answer, remaining, feasible, .. } = target;
            let extra = json!({
                "id": id,
                "turn": turn,
                "remaining_tokens": number(remaining),
                "is_possible": feasible,
            });
            json!({
                "data_source": NAME,
                "ability": NAME,
                "prompt": prompt,
                "reward_model": {"style": "rule", "ground_truth": answer.to_string()},
                "extra_info": extra,
            })
        })
    }

    fn write(
        &self,
        probes: &[(usize, usize)],
        mut prompt: impl FnMut(&Prefix<'_>) -> Messages,
        mut writer: impl Write,
        record: impl Fn(Option<&str>, usize, Vec<Value>, Target) -> Value,
    ) -> Result<(), Error> {
        for (line, &(index, turn)) in (1..).zip(probes) {
            let rollout = self.rollouts.get(index)?;
            if turn > rollout.turns() {
                return Err(rollout.no_such_turn(turn));
            }
            let usage = rollout.usage(self.resource)?;
            let shown = prefix(&rollout, self.resource, usage, turn);
            let message = |(role, content)| json!({"role": role, "content": content});
            let messages = prompt(&shown).into_iter().map(message).collect();
            let target = self.target(&rollout, turn)?;
            let record = record(rollout.id(), turn, messages, target);
            writeln!(writer, "{record}").map_err(|error| Error::Line {
                line,
                field: String::new(),
                problem: error.to_string(),
            })?;
        }
        Ok(())
    }

    /// Returns the remaining cost after `turn` turns, excluding the part of the next turn that the prompt shows.
    fn remaining(&self, rollout: &Rollout<'_>, turn: usize) -> Result<f64, Error> {
        let remaining = rollout.remaining(self.resource, turn)?;
        let Some(input) = self.first_input.filter(|_| turn == 0) else { return Ok(remaining) };
        Ok((remaining - rollout.usage(input)?.first(1).total()).max(0.0))
    }

    fn target(&self, rollout: &Rollout<'_>, turn: usize) -> Result<Target, Error> {
        let (remaining, feasible) = (self.remaining(rollout, turn)?, rollout.is_feasible()?);
        let known = feasible.then_some(remaining);
        let answer = Estimate::training_target(known, self.width, self.rounding)?;
        Ok(Target { answer, remaining, feasible })
    }
}

/// The facts about a probe in its record.
struct Target {
    answer: Estimate,
    remaining: f64,
    feasible: bool,
}

/// Returns a number as JSON: whole numbers below 2^53 have no fraction.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&value) {
        (value as u64).into()
    } else {
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}
