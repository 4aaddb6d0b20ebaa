//! What to do with runs that were cut off: leave them out, call them failures, score them by their
//! chance of success, weigh the others up, or say how much nobody can know.
//!
//! ```text
//! cut_off_runs [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--missing refuse|leave-out|carry-forward|clip] [--json] [--plot FILE.svg]
//! ```
//!
//! Without a file it takes the bundled runs (made by `make_demo_traces`), of which the true chance of
//! success is known: it is what the truthful stream says at the stop. Each file is one stream of
//! forecasts; where all hold the same runs, every two are compared. An id may stand once in a file.

use std::{collections::BTreeMap, error::Error, path::PathBuf, process::ExitCode};

use examples::{
    cut_off::{Pair, Report, Stream, WAYS, evaluate},
    cut_off_plot, file_reports, program,
    table::{align, number},
    trace_file::{self, Run, TraceFile},
};
use lexopt::prelude::*;
use trajectory_metrics::{ForecastPolicy, Probability, WeightSchedule};

fn main() -> ExitCode {
    program::run(output)
}

struct Arguments {
    files: Vec<PathBuf>,
    bundled: bool,
    schedule: WeightSchedule,
    missing: ForecastPolicy,
    json: bool,
    plot: Option<PathBuf>,
}

const USAGE: &str = "\
cut_off_runs [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
    [--missing refuse|leave-out|carry-forward|clip] [--json] [--plot FILE.svg]

Puts five ways to count runs that a budget cut off side by side. Each FILE is one stream of forecasts
and gets a column, and an id may stand once in a FILE; where all files hold the same runs, every two
are compared. Without a FILE the program takes bundled runs, whose true chances of success are known.
--schedule       weights of the steps of a run
--missing        what is done about forecasts that are missing or outside [0, 1], see below
--json           prints one JSON object
--plot FILE.svg  draws the scores
";

/// `None` where only the usage is asked for.
fn arguments() -> Result<Option<Arguments>, Box<dyn Error>> {
    let (mut files, mut schedule) = (Vec::new(), WeightSchedule::LinearFront);
    let (mut missing, mut json, mut plot) = (ForecastPolicy::Refuse, false, None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("schedule") => {
                schedule = program::value(&mut parser, "--schedule", str::parse)?;
            }
            Long("missing") => {
                missing = program::value(&mut parser, "--missing", trace_file::policy)?;
            }
            Long("json") => json = true,
            Long("plot") => plot = Some(PathBuf::from(parser.value()?)),
            Long("help") | Short('h') => return Ok(None),
            Value(file) => files.push(file.into()),
            _ => return Err(program::unexpected(argument)),
        }
    }
    let bundled = files.is_empty();
    if bundled {
        files = ["truthful", "overconfident", "constant"]
            .map(|name| program::bundled(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    Ok(Some(Arguments { files, bundled, schedule, missing, json, plot }))
}

fn output() -> Result<String, Box<dyn Error>> {
    let Some(Arguments { files, bundled, schedule, missing, json, plot }) = arguments()? else {
        return Ok([USAGE, trace_file::FORMAT].concat());
    };
    let all: Vec<TraceFile> =
        files.iter().map(|path| trace_file::read(path, missing)).collect::<Result<_, _>>()?;
    all.iter().try_for_each(|file| trace_file::check_ids(&file.runs))?;
    let named: Vec<(String, &TraceFile)> =
        files.iter().zip(&all).map(|(path, file)| (path.display().to_string(), file)).collect();
    // The truthful stream comes first.
    let known = if bundled { Some(last_forecasts(&all[0].runs)?) } else { None };
    let report = evaluate(&named, &schedule, known.as_ref())?;
    let names = file_reports::names(files.iter().map(PathBuf::as_path));
    if let Some(path) = plot {
        let picture = cut_off_plot::svg(&report, &names)?;
        program::write_picture(&path, &picture)?;
    }
    if json {
        return Ok(serde_json::to_string_pretty(&report)? + "\n");
    }
    Ok(table(&report, &names))
}

fn last_forecasts(runs: &[Run]) -> Result<BTreeMap<String, Probability>, Box<dyn Error>> {
    let mut last = BTreeMap::new();
    for run in runs {
        if let Some(&forecast) = run.stopped()?.forecasts().last() {
            last.insert(run.id.clone(), forecast);
        }
    }
    Ok(last)
}

fn table(report: &Report, names: &[String]) -> String {
    let row = |name: &str, cell: &dyn Fn(&Stream) -> String| {
        let mut row = vec![name.to_owned()];
        row.extend(report.files.iter().map(cell));
        row
    };
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(names.iter().cloned());
    for way in WAYS {
        rows.push(row(way, &|file| number(file.scores.get(way).copied().flatten())));
    }
    rows.push(row("bounds", &|file| match file.bounds {
        Some(bounds) => format!("[{:.3}, {:.3}]", bounds.low, bounds.high),
        None => "undefined".to_owned(),
    }));
    rows.push(row("complete runs", &|file| file.n_complete.to_string()));
    rows.push(row("cut off", &|file| file.n_censored.to_string()));
    rows.push(row("excluded", &|file| file.n_excluded.to_string()));
    rows.push(row("success chance", &|file| number(file.mean_success_chance)));
    let mut text = format!(
        "Mean score, {}, {} weights; higher is better\n\n{}",
        report.rule,
        report.schedule,
        align(&rows)
    );
    if !report.pairs.is_empty() {
        let called = |file: &String| {
            let place = report.files.iter().position(|other| other.file == *file);
            place.and_then(|place| names.get(place)).unwrap_or(file).clone()
        };
        let mut rows = vec![
            ["difference of exact means", "by plug-in", "bounds", "sign kept", "largest width"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for Pair { first, second, difference, bounds, keeps_sign, largest_width } in &report.pairs {
            rows.push(vec![
                format!("{} - {}", called(first), called(second)),
                number(*difference),
                format!("[{:.3}, {:.3}]", bounds.low, bounds.high),
                if *keeps_sign { "yes" } else { "no" }.to_owned(),
                largest_width.map_or("none".to_owned(), |width| format!("{width:.3}")),
            ]);
        }
        text.push('\n');
        text.push_str(&align(&rows));
    }
    text.push('\n');
    for note in &report.notes {
        let mut note = note.clone();
        for (file, name) in report.files.iter().zip(names) {
            note = note.replace(&file.file, name);
        }
        text.push_str(&format!("note: {note}\n"));
    }
    text
}
