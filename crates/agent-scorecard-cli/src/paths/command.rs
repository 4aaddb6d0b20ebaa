//! Compares the tool calls of agents with the calls that their tasks expect.
//!
//! ```text
//! paths [FILE…] [--ignore-arguments] [--json]
//! ```
//!
//! Without a file it compares bundled runs, which are made up. All calls of the agent count, by name
//! and exact arguments, or by name alone with `--ignore-arguments`. Calls are read as `{"name", "args"}`, as
//! OpenAI writes them, and as Anthropic does. Each file gets a column, and each model where a file names
//! several; with `--json`, `files` has a report of each where there are several.

use std::error::Error;

use agent_scorecard::{Report, paths::PathTally};

use crate::{
    files::bundled,
    output::program::Written,
    paths::{options::Options, path_file},
};

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { mut files, ignore_arguments, pool, forms } = options;
    if files.is_empty() {
        files.push(bundled::path("demo_tool_calls.jsonl"));
    }
    let (mut columns, mut together) = (Vec::new(), PathTally::default());
    for path in &files {
        for (model, tally) in path_file::read(path, ignore_arguments)? {
            let block = tally.block(ignore_arguments, forms.has_figures())?;
            columns.push((path.display().to_string(), model, block));
            together.append(&tally);
        }
    }
    let compared = if ignore_arguments { "name" } else { "name and exact arguments" };
    let mut report = Report {
        title: "Paths of tool calls".to_owned(),
        lead: format!("calls compared by {compared}; means over runs"),
        main_pictures: vec!["matches"],
        ..Report::of_columns(columns)
    };
    if pool && report.columns.len() > 1 {
        let pooled = together.block(ignore_arguments, forms.has_figures())?;
        report.pool(pooled, "; a task in two of them is one");
    }
    forms.show(report)
}
