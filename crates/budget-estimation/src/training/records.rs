use std::io::Write;

use serde_json::{Number, Value, json};

use crate::{
    error::Error,
    estimates::estimate::Estimate,
    replay::prefix::{Prefix, prefix},
    resource::Resource,
    rollouts::storage::Rollouts,
    training::targets::{TargetRounding, TargetWidth},
};

/// Writes the records for training a model on prefixes of recorded runs, as JSON Lines.
///
/// The caller makes the prompt from the [`Prefix`], which does not show the future. The target is the
/// interval of [`Estimate::training_target`] around what remained if the run is feasible, and otherwise
/// `impossible`. Feasible prefixes of which nothing remained are left out.
///
/// ```
/// use budget_estimation::{Error, Rollouts, TargetWidth, TrainingRecords};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let records = TrainingRecords::new(&rollouts, tokens, TargetWidth::Share(0.1));
/// assert_eq!(records.probes()?, [(0, 0), (0, 1), (0, 2)]);
///
/// let mut file = Vec::new();
/// records.write_supervised(&[(0, 1)], |prefix| format!("Turn {}?", prefix.turns()), &mut file)?;
/// let line = String::from_utf8(file).unwrap();
/// assert!(line.contains(r#"{"content":"<answer>[90, 110]</answer>","role":"assistant"}"#));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E.
#[derive(Clone, Debug)]
pub struct TrainingRecords<'a> {
    rollouts: &'a Rollouts,
    resource: Resource,
    width: TargetWidth,
    rounding: TargetRounding,
    after_last_turn: bool,
}

impl<'a> TrainingRecords<'a> {
    /// Records with intervals of this width around what remained.
    #[must_use]
    pub fn new(rollouts: &'a Rollouts, resource: Resource, width: TargetWidth) -> Self {
        let rounding = TargetRounding::default();
        Self { rollouts, resource, width, rounding, after_last_turn: false }
    }

    /// Sets the rounding of the targets.
    #[must_use]
    pub const fn with_rounding(mut self, rounding: TargetRounding) -> Self {
        self.rounding = rounding;
        self
    }

    /// Also probes infeasible runs after their last turn, k = T, as the released code of BAGEN does.
    #[must_use]
    pub const fn with_probes_after_last_turn(mut self) -> Self {
        self.after_last_turn = true;
        self
    }

    /// All prefixes with a record, as pairs of a rollout and its number of completed turns, k = 0 to
    /// T - 1. [`split_rollouts`](crate::split_rollouts) and
    /// [`Rollouts::subsample_prefixes`](crate::Rollouts::subsample_prefixes) help to choose among them.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if a cost is unknown; [`Error::NoSuchResource`] for a handle from other
    /// rollouts.
    pub fn probes(&self) -> Result<Vec<(usize, usize)>, Error> {
        let mut probes = Vec::new();
        for rollout in self.rollouts.iter() {
            let feasible = rollout.is_feasible()?;
            let turns = rollout.turns() + usize::from(self.after_last_turn && !feasible);
            for turn in 0..turns {
                if !feasible || rollout.remaining(self.resource, turn)? > 0.0 {
                    probes.push((rollout.index(), turn));
                }
            }
        }
        Ok(probes)
    }

    /// Writes records for supervised training, one per probe, in which the assistant gives the target:
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
        prompt: impl FnMut(&Prefix<'_>) -> String,
        writer: impl Write,
    ) -> Result<(), Error> {
        self.write(probes, prompt, writer, |id, turn, prompt, Target { answer, .. }| {
            let answer = format!("<answer>{answer}</answer>");
            json!({
                "id": id,
                "turn": turn,
                "messages": [
                    {"role": "user", "content": prompt},
                    {"role": "assistant", "content": answer},
                ],
            })
        })
    }

    /// Writes records for reinforcement learning, one per probe, with what
    /// [`Estimate::rule_reward`](crate::Estimate::rule_reward) needs:
    /// `{"ground_truth", "id", "prompt": [{"content", "role": "user"}], "remaining_tokens", "turn"}`. The
    /// ground truth is the target without tags, and `remaining_tokens` is null for `impossible`.
    ///
    /// # Errors
    ///
    /// As [`TrainingRecords::write_supervised`].
    pub fn write_reinforcement(
        &self,
        probes: &[(usize, usize)],
        prompt: impl FnMut(&Prefix<'_>) -> String,
        writer: impl Write,
    ) -> Result<(), Error> {
        self.write(probes, prompt, writer, |id, turn, prompt, Target { answer, remaining }| {
            json!({
                "id": id,
                "turn": turn,
                "prompt": [{"role": "user", "content": prompt}],
                "ground_truth": answer,
                "remaining_tokens": remaining.map(number),
            })
        })
    }

    fn write(
        &self,
        probes: &[(usize, usize)],
        mut prompt: impl FnMut(&Prefix<'_>) -> String,
        mut writer: impl Write,
        record: impl Fn(Option<&str>, usize, String, Target) -> Value,
    ) -> Result<(), Error> {
        for (line, &(index, turn)) in (1..).zip(probes) {
            let rollout = self.rollouts.get(index)?;
            if turn > rollout.turns() {
                return Err(rollout.no_such_turn(turn));
            }
            let usage = rollout.usage(self.resource)?;
            let remaining = match rollout.is_feasible()? {
                true => Some(rollout.remaining(self.resource, turn)?),
                false => None,
            };
            let answer =
                Estimate::training_target(remaining, self.width, self.rounding)?.to_string();
            let prompt = prompt(&prefix(&rollout, self.resource, usage, turn));
            let record = record(rollout.id(), turn, prompt, Target { answer, remaining });
            writeln!(writer, "{record}").map_err(|error| Error::Line {
                line,
                field: String::new(),
                problem: error.to_string(),
            })?;
        }
        Ok(())
    }
}

/// What a record says about its probe.
struct Target {
    answer: String,
    remaining: Option<f64>,
}

/// A number as JSON: whole numbers below 2^53 have no fraction.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&value) {
        (value as u64).into()
    } else {
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}
