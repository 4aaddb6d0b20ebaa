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

use crate::{
    files::{bundled, run_counts},
    output::{
        file_reports::{self, FileReport, NoDifference, Together},
        program::Written,
        table::{Layout, number},
    },
    paths::{
        options::Options,
        report::{PathReport, PathTally},
    },
    report::files::derived,
};

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let Options { mut files, ignore_arguments, pool, forms } = options;
    if files.is_empty() {
        files.push(bundled::path("demo_tool_calls.jsonl"));
    }
    let mut all = Vec::new();
    let mut reports = Vec::new();
    for path in &files {
        for (model, tally) in PathTally::read(path, ignore_arguments)? {
            let mut report = tally.report(ignore_arguments)?;
            if forms.has_figures() {
                report.curves = derived("paths", &report)?;
            }
            reports.push((path.display().to_string(), model, report));
            all.push(tally);
        }
    }
    let reports = file_reports::columns(reports);
    forms.write(
        "paths",
        |layout| Ok(table(&reports, ignore_arguments, layout)),
        || {
            file_reports::json(&reports, || {
                let pooled = match pool {
                    false => None,
                    true => {
                        let mut together = PathTally::default();
                        all.iter().for_each(|tally| together.append(tally));
                        let mut report = together.report(ignore_arguments)?;
                        report.notes.push(format!(
                            "{}; a task in two of them is one",
                            file_reports::POOLED
                        ));
                        report.curves = derived("paths", &report)?;
                        Some(report)
                    }
                };
                Ok(Together::<_, NoDifference>::pooled(pooled))
            })
        },
    )
}

fn table(reports: &[FileReport<PathReport>], ignore_arguments: bool, layout: Layout) -> String {
    let names: Vec<&str> = reports.iter().map(|column| column.name.as_str()).collect();
    let row = |name: String, values: &dyn Fn(&PathReport) -> String| {
        std::iter::once(name).chain(reports.iter().map(|named| values(&named.report))).collect()
    };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once("").chain(names.iter().copied()).map(str::to_owned).collect()];
    rows.push(row("runs".to_owned(), &|report| report.n.to_string()));
    rows.push(row("tasks".to_owned(), &|report| report.n_tasks.to_string()));
    let figures = reports.first().map(|named| named.report.figures()).into_iter().flatten();
    for (i, (figure, higher_is_better, _)) in figures.enumerate() {
        let direction = if higher_is_better { "+" } else { "-" };
        let name = format!("{figure} ({direction})");
        rows.push(row(name, &|report| number(report.figures()[i].2)));
    }
    let by_k = |report: &PathReport, k: u64| {
        report.pass_hat_k.as_ref().and_then(|by_k| by_k.get(&k).copied().flatten())
    };
    let defined = |k: &u64| reports.iter().any(|named| by_k(&named.report, *k).is_some());
    for k in (1..).take_while(defined) {
        rows.push(row(format!("pass_hat_{k} (+)"), &|report| number(by_k(report, k))));
    }
    let compared = if ignore_arguments { "name" } else { "name and exact arguments" };
    let counts = reports.iter().map(|named| &named.report.runs);
    let mut text = format!(
        "{}calls compared by {compared}; means over runs; (+) higher is better, (-) lower\n\n{}",
        run_counts::lines(names.iter().copied().zip(counts)),
        layout.table(&rows)
    );
    for (name, named) in names.iter().zip(reports) {
        for note in &named.report.notes {
            let place = if reports.len() > 1 { format!(" on {name}") } else { String::new() };
            text.push_str(&format!("note{place}: {note}\n"));
        }
    }
    text
}
