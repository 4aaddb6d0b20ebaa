//! The options of `budget`.

use std::path::PathBuf;

use agent_scorecard::budget::METRICS;
use budget_estimation::{Level, Reading};
use clap::builder::TypedValueParser;

use crate::{
    budget::{estimate_file, rollout_file},
    output::form::Forms,
    values::{self, Clustering},
};

/// Scores estimates of what an agent's runs still spend
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Options {
    /// Files of runs, each with a column and an estimator of its own; without a file, bundled runs
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// linear, quantile, conformal or default, which learn from the runs before in the file, or a FILE of
    /// recorded answers of a model (default: linear)
    #[arg(long)]
    pub(crate) estimator: Option<String>,
    /// Budget of each run
    #[arg(long, value_name = "N", value_parser = values::cap)]
    pub(crate) cap: Option<f64>,
    /// What is estimated: output_tokens, fresh_input_tokens (the input without what a request repeats),
    /// total_tokens (of fresh input and output, or of whole requests where the files have no fresh input),
    /// input_tokens, cost_usd or any other resource of the files; of several, NAME,NAME, there is a report for each and the joint hit rate, and caps stand in the
    /// files
    #[arg(long, value_name = "NAME,...", default_value = "output_tokens", value_parser = resources)]
    pub(crate) resource: Names,
    /// What the intervals claim to hold
    #[arg(long, default_value = "0.8", value_parser = values::level)]
    pub(crate) coverage: Level,
    /// Read answers of an estimates file that stray from the form
    #[arg(long, overrides_with = "points")]
    pub(crate) lenient: bool,
    /// The same, and a single number as an interval without width
    #[arg(long, overrides_with = "lenient")]
    pub(crate) points: bool,
    /// What counts as a forecast of failure: an interval above what is left under a cap, too (cap), or "impossible"
    /// alone, as in the paper (answers)
    #[arg(long, value_name = "NAME", default_value = "cap", value_parser = readings())]
    pub(crate) reading: Reading,
    /// Label runs that have `achieved` by random targets and budgets, half of them reachable; the time is the
    /// first resource with time in its name
    #[arg(long, value_name = "SEED", value_parser = values::seed)]
    pub(crate) probes: Option<u64>,
    /// Fields of the runs, such as model, whose runs are alike for the default estimator; it always uses task
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    pub(crate) keys: Option<Names>,
    /// Learn from the first N runs of each file without scoring them
    #[arg(long, value_name = "N", default_value = "0", value_parser = values::whole::<usize>(0, u64::MAX))]
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

const BAGEN: &str = r#"
A FILE of BAGEN's released estimates (github.com/mll-lab-nu/BAGEN, run_token_estimation_env.py or
run_money_estimation_env.py) is one JSON object with "results", each with its "ground_truth" and
"prediction". It needs no runs and no --estimator. The report has two columns: the figures of this
crate, and as_published those of the released code.
"#;

/// The help behind the options: an example, what each figure is, and the formats of files.
fn after_help() -> String {
    let figures =
        METRICS.map(|metric| format!("{}\n    {}\n", metric.measure.key, metric.measure.help));
    [EXAMPLE, PREFIXES, &figures.concat(), rollout_file::FORMAT, estimate_file::FORMAT, BAGEN]
        .concat()
}

const PREFIXES: &str = "\
A prefix is what a run had spent after 1 to T - 1 of its T turns. It is feasible where the run
succeeded, with --cap or `caps` in the file within its caps.
";

/// Names between commas; a type of its own, as a bare vector would stand for an option given several
/// times.
pub(crate) type Names = std::sync::Arc<[String]>;

fn readings() -> impl TypedValueParser<Value = Reading> {
    values::one_of([("cap", Reading::Cap), ("answers", Reading::Answers)])
}

fn resources(names: &str) -> Result<Names, &'static str> {
    let all = self::names(names)?;
    let repeated = (1..all.len()).any(|at| all[..at].contains(&all[at]));
    if repeated { Err("give each name once") } else { Ok(all) }
}

fn names(names: &str) -> Result<Names, &'static str> {
    let names: Names = names.split(',').map(str::to_owned).collect();
    let named = names.iter().all(|name| !name.is_empty());
    if named { Ok(names) } else { Err("give names with commas between them") }
}
