//! Files of runs as `budget` reads them: there is one a line, unless it was left out before, a sum of costs is
//! there where its parts are, and what was read is replayed at every prefix.

#![no_main]

use agent_scorecard::budget::{By, Options, RunFile, replay};
use budget_estimation::Level;
use libfuzzer_sys::fuzz_target;

#[path = "../json_lines.rs"]
mod json_lines;

fuzz_target!(|bytes: &[u8]| {
    let of = |name| RunFile::read("f", bytes, &[str::to_owned(name)]).ok();
    let [output, input, total] = ["output_tokens", "input_tokens", "total_tokens"].map(of);
    assert_eq!(total.is_some(), output.is_some() && input.is_some());
    let Some(file) = output else { return };
    // A line of a run that was left out before is counted and has no row.
    assert_eq!(
        file.runs.lines().len() as u64 + file.runs.counts().left_out(),
        json_lines::lines(bytes) as u64
    );

    for by in [By::Linear, By::Quantile, By::Conformal] {
        let level = Level::new(0.8).expect("a level");
        let options = Options { cap: Some(100.0), ..Options::new("output_tokens", by, level) };
        let input = RunFile::together(&[&file], &[]).expect("runs as they were read");
        let runs = replay(input, &options).expect("runs as they were read");
        assert_eq!(runs.rollouts.len() + runs.left_out, file.runs.lines().len());
        let prefixes: usize = runs.rollouts.iter().map(|run| run.turns() - 1).sum();
        assert_eq!(runs.every_sample().len(), prefixes);
    }
});
