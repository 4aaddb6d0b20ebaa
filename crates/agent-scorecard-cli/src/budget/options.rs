//! The options of `budget`.

use std::path::PathBuf;

use budget_estimation::Level;

use crate::{
    budget::{
        bagen_report, estimate_file,
        rollout_file::{self, Spent},
    },
    output::form::Forms,
    values::{self, Clustering},
};

/// Scores estimates of what an agent's runs still spend
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, FIGURES, rollout_file::FORMAT, estimate_file::FORMAT, bagen_report::FORMAT].concat())]
pub(crate) struct Options {
    /// Files of runs, each with a column and an estimator of its own; without a file, bundled runs
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// linear, quantile, conformal or default, which learn from the runs before in the file, or a FILE of
    /// recorded answers of a model (default: linear)
    #[arg(long)]
    pub(crate) estimator: Option<String>,
    /// Budget of each run
    #[arg(long, value_name = "N", value_parser = cap)]
    pub(crate) cap: Option<f64>,
    /// What is estimated: output_tokens, fresh_input_tokens (the input without what a request repeats),
    /// total_tokens (of fresh input and output, or of whole requests where the files have no fresh input),
    /// input_tokens, cost_usd or any other resource of the files; of several, NAME,NAME, there is a report for each and the joint hit rate, and caps stand in the
    /// files
    #[arg(long, value_name = "NAME,...", default_value = "output_tokens", value_parser = resources)]
    pub(crate) resource: Resources,
    /// What the intervals claim to hold
    #[arg(long, default_value = "0.8", value_parser = values::level)]
    pub(crate) coverage: Level,
    /// Read answers of an estimates file that stray from the form
    #[arg(long, overrides_with = "points")]
    pub(crate) lenient: bool,
    /// The same, and a single number as an interval without width
    #[arg(long, overrides_with = "lenient")]
    pub(crate) points: bool,
    /// Label runs that have `achieved` by random targets and budgets, half of them reachable; the time is the
    /// first resource with time in its name
    #[arg(long, value_name = "SEED", value_parser = values::seed)]
    pub(crate) probes: Option<u64>,
    /// Fields of the runs, such as model, whose runs are alike for the default estimator; it always uses task
    #[arg(long, value_name = "NAME,...", value_parser = keys)]
    pub(crate) keys: Option<Keys>,
    /// Learn from the first N runs of each file without scoring them
    #[arg(long, value_name = "N", default_value = "0", value_parser = warm_up)]
    pub(crate) warm_up: usize,
    /// Bootstrap resamples of whole tasks behind the 95 % intervals; 0 for none
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::resamples)]
    pub(crate) resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) clustering: Clustering,
    /// Add a report on the runs of all files together to --json
    #[arg(long)]
    pub(crate) pool: bool,
    /// Draw this run in place of the longest feasible one
    #[arg(long, value_name = "ID")]
    pub(crate) plot_id: Option<String>,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

const EXAMPLE: &str = "\
Example: agent-scorecard budget runs.jsonl --estimator conformal --cap 2500

";

const FIGURES: &str = "\
A prefix is what a run had spent after 1 to T - 1 of its T turns. It is feasible where the run
succeeded, with --cap or `caps` in the file within its caps.
hit_rate, interval_reward   over feasible prefixes; impossible or no answer counts 0
coverage, optimistic, conservative
                            shares of the intervals at feasible prefixes that hold what remained,
                            lie below it, lie above it
mre_p50, mre_p90            of the midpoint relative error of these intervals
..._loss                    proper, of these intervals as central ones of --coverage
linear_reference_reduction  of the error of linear extrapolation that knows T
false_abort_rate            share of feasible prefixes said to be impossible
saved_token_share           share of what failed runs spent that came after the first impossible,
                            in the resource that is estimated
success_lost                share of feasible runs with an impossible at any prefix
detection_turn_share, detection_spent_share
                            mean share of a failed run before the first impossible, 1 without one
success_rate_lost           the same runs as a share of all runs
format_rate                 share of prefixes with a readable answer
optimistic_of_all, conservative_of_all
                            shares of the intervals of all runs, failed ones included
mean_width_over_cap         of the intervals of all runs with a cap
mean_midpoint_bias, mean_width_adequacy
                            signed error of the midpoint over what remained; half-width over the
                            absolute error, at most 1; at feasible prefixes
macro_f1_of_answers         any interval counts as feasible, also one above what is left of a cap
best_constant_loss, linear_oracle_loss, mean_cost_oracle_loss
                            interval_loss of the best constant interval, and of the best intervals that
                            follow a linear extrapolation that knows T, or T and the run's mean cost:
                            chosen on these prefixes, so that no estimator could know them
";

/// Resources between commas; a type of its own, as a bare vector would stand for an option given several
/// times.
pub(crate) type Resources = std::sync::Arc<[Spent]>;

/// Fields between commas.
pub(crate) type Keys = std::sync::Arc<[String]>;

fn cap(text: &str) -> Result<f64, &'static str> {
    match text.parse() {
        Ok(cap) if (0.0..=1e100).contains(&cap) => Ok(cap),
        _ => Err("give a number from 0 to 1e100"),
    }
}

fn resources(names: &str) -> Result<Resources, &'static str> {
    let all: Option<Resources> = names.split(',').map(Spent::named).collect();
    let all = all.ok_or("give names with commas between them")?;
    let repeated = (1..all.len()).any(|at| all[..at].contains(&all[at]));
    if repeated { Err("give each name once") } else { Ok(all) }
}

fn keys(names: &str) -> Result<Keys, &'static str> {
    let names: Keys = names.split(',').map(str::to_owned).collect();
    let named = names.iter().all(|name| !name.is_empty());
    if named { Ok(names) } else { Err("give names with commas between them") }
}

fn warm_up(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "give a whole number of runs")
}
