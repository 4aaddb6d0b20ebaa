//! Tables of the steps of runs by kind: model calls, and the calls of each tool.

use std::{cmp::Reverse, collections::BTreeMap};

use run_logs::{LoggedRun, StepKind, StepUse};

use crate::report::block::{Block, Field};

/// The sums over the runs with a kind of step.
#[derive(Default)]
struct Sums {
    n_runs: u64,
    n: u64,
    n_known: u64,
    n_failed: u64,
    /// The amount and the number of steps in the runs where it is known.
    output_tokens: (f64, u64),
    seconds: (f64, u64),
}

impl Sums {
    fn add(&mut self, step: &StepUse) {
        self.n_runs += 1;
        self.n += step.n;
        self.n_known += step.n_known;
        self.n_failed += step.n_failed;
        let of = [(&mut self.output_tokens, step.output_tokens), (&mut self.seconds, step.seconds)];
        for (sum, amount) in of {
            if let Some(amount) = amount {
                *sum = (sum.0 + amount, sum.1 + step.n);
            }
        }
    }
}

/// Returns the tools that a run called, with the number of calls.
pub(crate) fn tools(run: &LoggedRun) -> impl Iterator<Item = (&str, u64)> {
    run.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Tool(name) => Some((name.as_str(), step.n)),
        _ => None,
    })
}

/// Returns the table of the steps of these runs: a row for each kind, the most frequent first. Means per step are over the runs in which the amount is
/// known for each step of the kind. The title states whether some of the runs have no outcome. `None` without a step.
pub(crate) fn table<'a>(
    runs: impl IntoIterator<Item = &'a [StepUse]>,
    has_ungraded: bool,
) -> Option<Field> {
    let mut kinds: BTreeMap<&StepKind, Sums> = BTreeMap::new();
    for step in runs.into_iter().flatten() {
        kinds.entry(&step.kind).or_default().add(step);
    }
    let mean = |(sum, n): (f64, u64)| (n > 0).then(|| sum / n as f64);
    let row = |(kind, sums): (&StepKind, Sums)| {
        let is_tool = matches!(kind, StepKind::Tool(_));
        let failed = (sums.n_known > 0).then_some(sums.n_failed);
        Block::of([
            Field::shown("step", "step", kind.name()),
            Field::json("is_tool", is_tool),
            Field::shown("n_runs", "runs", sums.n_runs),
            Field::shown("n", "number", sums.n),
            Field::json("n_known", sums.n_known),
            Field::shown("n_failed", "failed", failed),
            Field::shown(
                "failed_share",
                "share failed",
                failed.map(|n| n as f64 / sums.n_known as f64),
            ),
            Field::shown("output_tokens", "output tokens per step", mean(sums.output_tokens)),
            Field::shown("seconds", "seconds per step", mean(sums.seconds)),
        ])
    };
    let mut kinds: Vec<(&StepKind, Sums)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, sums)| Reverse(sums.n));
    let rows: Vec<Block> = kinds.into_iter().map(row).collect();
    let title = match has_ungraded {
        true => "Model calls and tools, also of runs without an outcome",
        false => "Model calls and tools",
    };
    (!rows.is_empty()).then(|| Field::rows("steps", title, rows))
}
