//! What to do with runs that were cut off: leave them out, call them failures, score them by their
//! chance of success, weigh the others up, or say how much nobody can know.
//!
//! ```text
//! cut-off [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--missing refuse|leave-out|carry-forward|clip] [--calibrate none|platt|isotonic]
//!     [--assume non-informative|failure-side|none] [--odds-ratio X] [--resamples N] [--seed N]
//!     [--hide RATE|--hide-after SHARE] [--continuations FILE] [--min-valid N] [--json]
//!     [--plot FILE.svg]
//! ```
//!
//! Without a file it takes the bundled runs (made by `demo-data`), of which the true chance of
//! success is known: it is what the truthful stream says at the stop. Each file is one stream of
//! forecasts; where all hold the same runs, every two are compared. An id may stand once in a file.

use std::{
    collections::BTreeMap,
    error::Error,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    cut_off::{
        plot,
        report::{Comparison, Hide, ReportSettings},
        streams::{Pair, Report, Stream, WAYS, evaluate},
    },
    files::{
        bundled,
        json_lines::{self, InputError},
    },
    output::{
        file_reports, program,
        table::{align, number},
    },
    traces::{
        settings::Calibration,
        trace_file::{self, Run, TraceFile},
    },
};
use censoring::{CensoringAnalysis, CensoringAssumption, Continuations};
use lexopt::prelude::*;
use trajectory_metrics::{ForecastPolicy, Probability, WeightSchedule};

struct Arguments {
    files: Vec<PathBuf>,
    bundled: bool,
    schedule: WeightSchedule,
    missing: ForecastPolicy,
    settings: ReportSettings,
    continuations: Option<PathBuf>,
    json: bool,
    plot: Option<PathBuf>,
}

const USAGE: &str = "\
cut-off [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
    [--missing refuse|leave-out|carry-forward|clip] [--calibrate none|platt|isotonic]
    [--assume non-informative|failure-side|none] [--odds-ratio X] [--resamples N] [--seed N]
    [--hide RATE|--hide-after SHARE] [--continuations FILE] [--min-valid N] [--json]
    [--plot FILE.svg]

Puts five ways to count runs that a budget cut off side by side. Each FILE is one stream of forecasts
and gets a column, and an id may stand once in a FILE; where all files hold the same runs, every two
are compared. Without a FILE the program takes bundled runs, whose true chances of success are known.
--schedule       weights of the steps of a run
--missing        what is done about forecasts that are missing or outside [0, 1], see below
--calibrate      calibrates forecasts by maps of the complete runs of other tasks
--assume         the declared assumption on why runs were cut off (default: non-informative)
--odds-ratio     how wrong the odds of success after a stop may be, for the sensitivity (default: 2)
--resamples      resamples of whole tasks (default: 1000)
--seed           seed of resamples and of hidden outcomes (default: 0)
--hide           splits the shift for this share of the complete runs, each cut off at random
--hide-after     splits the shift for all complete runs, each cut off after this share of its steps
--continuations  audits continuations of cut-off runs; a FILE of JSON Lines with the fields id,
                 successes, failures, unresolved (optional) and invalid (optional), which are counts
--min-valid      outcomes that a run needs among its continuations (default: 5)
--json           prints one JSON object
--plot FILE.svg  draws the scores
";

/// `None` where only the usage is asked for.
fn arguments(given: Vec<OsString>) -> Result<Option<Arguments>, Box<dyn Error>> {
    let (mut files, mut schedule) = (Vec::new(), WeightSchedule::LinearFront);
    let (mut missing, mut json, mut plot) = (ForecastPolicy::Refuse, false, None);
    let mut continuations = None;
    let mut settings = ReportSettings {
        assumption: CensoringAssumption::NonInformative,
        resamples: 1_000,
        seed: 0,
        odds_ratio: 2.0,
        calibration: Calibration::None,
        hide: None,
        continuations: None,
        min_valid: 5,
    };
    let share = |text: &str| -> Result<Probability, Box<dyn Error>> {
        Ok(Probability::new(text.parse()?)?)
    };
    let mut parser = lexopt::Parser::from_args(given);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("schedule") => {
                schedule = program::value(&mut parser, "--schedule", str::parse)?;
            }
            Long("missing") => {
                missing = program::value(&mut parser, "--missing", trace_file::policy)?;
            }
            Long("calibrate") => {
                settings.calibration = program::value(&mut parser, "--calibrate", calibration)?;
            }
            Long("assume") => {
                settings.assumption = program::value(&mut parser, "--assume", assumption)?;
            }
            Long("odds-ratio") => {
                settings.odds_ratio = program::value(&mut parser, "--odds-ratio", odds_ratio)?;
            }
            Long("resamples") => {
                settings.resamples = program::value(&mut parser, "--resamples", resamples)?;
            }
            Long("seed") => settings.seed = program::value(&mut parser, "--seed", str::parse)?,
            Long("hide") => {
                settings.hide = Some(Hide::Rate(program::value(&mut parser, "--hide", share)?));
            }
            Long("hide-after") => {
                let share = program::value(&mut parser, "--hide-after", share)?;
                settings.hide = Some(Hide::After(share));
            }
            Long("continuations") => continuations = Some(PathBuf::from(parser.value()?)),
            Long("min-valid") => {
                settings.min_valid = program::value(&mut parser, "--min-valid", min_valid)?;
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
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    Ok(Some(Arguments { files, bundled, schedule, missing, settings, continuations, json, plot }))
}

fn calibration(text: &str) -> Result<Calibration, String> {
    match text {
        "none" => Ok(Calibration::None),
        "platt" => Ok(Calibration::Platt),
        "isotonic" => Ok(Calibration::Isotonic),
        _ => Err("give none, platt or isotonic".to_owned()),
    }
}

fn assumption(text: &str) -> Result<CensoringAssumption, String> {
    match text {
        "non-informative" => Ok(CensoringAssumption::NonInformative),
        "failure-side" => Ok(CensoringAssumption::FailureSide),
        "none" => Ok(CensoringAssumption::None),
        _ => Err("give non-informative, failure-side or none".to_owned()),
    }
}

fn odds_ratio(text: &str) -> Result<f64, Box<dyn Error>> {
    let value = text.parse()?;
    CensoringAnalysis::new(CensoringAssumption::None).with_odds_ratio(value)?;
    Ok(value)
}

fn resamples(text: &str) -> Result<usize, Box<dyn Error>> {
    match text.parse()? {
        value @ 0..=1_000_000 => Ok(value),
        _ => Err("give at most 1000000".into()),
    }
}

fn min_valid(text: &str) -> Result<u64, Box<dyn Error>> {
    match text.parse()? {
        0 => Err("give at least 1".into()),
        value => Ok(value),
    }
}

/// How the continuations of a run ended.
#[derive(serde::Deserialize)]
struct Ends {
    id: String,
    successes: u64,
    failures: u64,
    #[serde(default)]
    unresolved: u64,
    #[serde(default)]
    invalid: u64,
}

fn read_continuations(path: &Path) -> Result<BTreeMap<String, Continuations>, Box<dyn Error>> {
    let mut all = BTreeMap::new();
    for line in json_lines::read::<Ends>(path)? {
        let Ends { id, successes, failures, unresolved, invalid } = line.value;
        let ends = Continuations { successes, failures, unresolved, invalid };
        if all.insert(id, ends).is_some() {
            return Err(Box::new(InputError {
                file: path.display().to_string(),
                line: Some(line.number),
                field: Some("id".to_owned()),
                problem: "an earlier line has the same id".to_owned(),
            }));
        }
    }
    Ok(all)
}

pub(crate) fn output(given: Vec<OsString>) -> Result<String, Box<dyn Error>> {
    let Some(arguments) = arguments(given)? else {
        return Ok([USAGE, trace_file::FORMAT].concat());
    };
    let Arguments { files, bundled, schedule, missing, .. } = arguments;
    let (mut settings, json, plot) = (arguments.settings, arguments.json, arguments.plot);
    if let Some(path) = arguments.continuations {
        settings.continuations = Some(read_continuations(&path)?);
    }
    let all: Vec<TraceFile> =
        files.iter().map(|path| trace_file::read(path, missing)).collect::<Result<_, _>>()?;
    all.iter().try_for_each(|file| trace_file::check_ids(&file.runs))?;
    let named: Vec<(String, &TraceFile)> =
        files.iter().zip(&all).map(|(path, file)| (path.display().to_string(), file)).collect();
    // The truthful stream comes first.
    let known = if bundled { Some(last_forecasts(&all[0].runs)?) } else { None };
    let report = evaluate(&named, &schedule, known.as_ref(), &settings)?;
    let names = file_reports::names(files.iter().map(PathBuf::as_path));
    if let Some(path) = plot {
        let picture = plot::svg(&report, &names)?;
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
    let called = |file: &String| {
        let place = report.files.iter().position(|other| other.file == *file);
        place.and_then(|place| names.get(place)).unwrap_or(file).clone()
    };
    if !report.pairs.is_empty() {
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
    for (stream, name) in report.files.iter().zip(names) {
        text.push_str(&comparisons(stream, name));
    }
    for change in &report.order_changes {
        let (first, second) = (called(&change.first), called(&change.second));
        text.push_str(&format!(
            "\norder change, {} {}: {first} is ahead of {second} by {} and behind by {}\n",
            change.rule, change.schedule, change.from, change.to
        ));
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

/// The differences from complete-only means, by rule and schedule, and the split of the shift.
fn comparisons(stream: &Stream, name: &str) -> String {
    let Some(report) = &stream.report else {
        return String::new();
    };
    let estimate = |estimate: Option<crate::cut_off::report::Estimate>| match estimate {
        None => "undefined".to_owned(),
        Some(e) => match (e.ci_low, e.ci_high) {
            (Some(low), Some(high)) => format!("{:+.4} [{low:+.4}, {high:+.4}]", e.value),
            _ => format!("{:+.4}", e.value),
        },
    };
    let mut rows = vec![
        ["rule", "schedule", "simple - complete", "exact - complete", "exact - simple", "per rate"]
            .map(str::to_owned)
            .to_vec(),
    ];
    rows.extend(report.comparisons.iter().map(|row: &Comparison| {
        vec![
            row.rule.clone(),
            row.schedule.clone(),
            estimate(row.simple_shift),
            estimate(row.exact_shift),
            estimate(row.exact_minus_simple),
            number(row.simple_shift_per_rate),
        ]
    }));
    let mut text = String::new();
    if stream.n_censored > 0 {
        let selection = &report.selection;
        text = format!("\n{name}, assumption {}\n\n{}", report.assumption, align(&rows));
        text.push_str(&format!(
        "\ncut-off runs are {} times as long as complete runs; their mean forecast differs by {}\n",
        number(selection.length_ratio),
        number(selection.forecast_difference)
    ));
    }
    if let Some(hidden) = &report.hidden_outcomes {
        let mut rows = vec![
            [
                "rule",
                "schedule",
                "complete",
                "shift",
                "prefix swap",
                "tail omission",
                "failures",
                "successes",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        rows.extend(hidden.rows.iter().map(|row| {
            let signed = |value: f64| format!("{value:+.4}");
            let part = |part: Option<crate::cut_off::report::Shift>| {
                part.map_or("undefined".to_owned(), |part| signed(part.shift))
            };
            vec![
                row.rule.to_owned(),
                row.schedule.to_owned(),
                signed(row.all.complete),
                signed(row.all.shift),
                signed(row.all.prefix_swap),
                signed(row.all.tail_omission),
                part(row.failures),
                part(row.successes),
            ]
        }));
        text.push_str(&format!("\n{name}, hidden outcomes\n\n{}", align(&rows)));
    }
    if let Some(audit) = &report.continuations {
        text.push_str(&format!(
            "\n{name}, continuations: {} runs retained, {} left out with fewer than {} outcomes; probability of success: mean {:.3}, median {:.3}, zero {:.1} %, above 1/2 {:.1} %\n",
            audit.retained,
            audit.left_out,
            audit.min_valid,
            audit.mean.value,
            audit.median,
            100.0 * audit.zero_share,
            100.0 * audit.above_half_share
        ));
    }
    text
}
