//! Calls of every subcommand with a report that end soon.

use crate::program::{bundled, write};

/// A call of a subcommand.
pub(crate) struct Call {
    pub(crate) subcommand: &'static str,
    /// The name of its golden files; empty without any.
    pub(crate) name: &'static str,
    pub(crate) arguments: Vec<String>,
    /// The key of a number of its JSON object.
    pub(crate) key: &'static str,
}

impl Call {
    /// Returns its arguments and these.
    pub(crate) fn with<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        self.arguments.iter().map(String::as_str).chain(more.iter().copied()).collect()
    }
}

/// Words and a file before them.
pub(crate) fn with(file: String, more: &str) -> Vec<String> {
    [vec![file], words(more)].concat()
}

pub(crate) fn words(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// Returns a file of five trials of each of two groups of tasks.
fn agent(name: &str, successes: fn(usize) -> usize) -> String {
    let row = |at: usize| {
        let (task, trial) = (at / 5, at % 5);
        let group = if task < 10 { "air" } else { "retail" };
        format!("{at},{group}/{task},0.{},{}\n", 5 + at % 4, u8::from(trial < successes(task)))
    };
    let rows: String = (0..100).map(row).collect();
    write(name, &("id,task,confidence,correct\n".to_owned() + &rows))
}

pub(crate) fn calls() -> Vec<Call> {
    // Beta loses tasks of the first group, gamma nearly none.
    let agents = [
        agent("alpha.csv", |task| if task < 8 { 5 } else { task % 6 }),
        agent("beta.csv", |task| if task < 5 { 0 } else { task % 6 }),
        agent("gamma.csv", |task| if task < 7 { 5 } else { task % 6 }),
    ];
    let pair = with(bundled("demo_truthful.jsonl"), "--resamples 50");
    let pair = [vec![bundled("demo_constant.jsonl")], pair].concat();
    let log = with(bundled("demo_log.jsonl"), "--resamples 0");
    let call = |(subcommand, name, arguments, key)| Call { subcommand, name, arguments, key };
    let all = [
        ("traces", "traces", words("--resamples 50"), "files.0.tps_log"),
        ("traces", "traces_of_two", pair, "difference.tps_log"),
        ("traces", "traces_of_log", log, "n_runs"),
        ("traces --change", "calibration", words("--resamples 50"), "files.0.n"),
        ("compare", "compare", Vec::new(), "files.0.success_rate"),
        ("compare", "compare_three", agents.to_vec(), "files.1.success_rate"),
        ("cut-off", "cut_off", words("--resamples 20"), "files.0.simple"),
        ("paths", "paths", Vec::new(), "exact_match"),
        ("costbench", "costbench", words("--block ban-tool --refinement-level 1"), "cost_gap"),
        ("costbench", "", words("--block ban-tool --paths"), "cost_gap"),
        ("triage", "triage", words("--alpha 0.25 --alpha 0.5"), "alphas.0.oracle"),
        ("triage", "", words("--alpha 0.5 --planner random"), "alphas.0.eta_advisory"),
        ("budget", "budget", words("--resamples 20 --cap 2500 --estimator linear"), "hit_rate"),
        ("caps", "caps", words("--at 500,1500,4000"), "caps.500.kept_share"),
        ("logs", "logs", Vec::new(), "n_runs"),
    ];
    all.into_iter().map(call).collect()
}
