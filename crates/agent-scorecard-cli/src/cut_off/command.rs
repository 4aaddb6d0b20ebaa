//! What to do with runs that were cut off: leave them out, call them failures, score them by their
//! chance of success, weigh the others up, or say how much nobody can know.
//!
//! ```text
//! cut-off [FILE…] [--schedule linear-front|uniform|exponential-front|linear-back]
//!     [--missing refuse|leave-out|carry-forward|clip] [--calibrate none|platt|isotonic]
//!     [--assume non-informative|failure-side|none] [--odds-ratio X] [--resamples N] [--seed N]
//!     [--hide RATE|--hide-after SHARE] [--success-chance FILE] [--continuations FILE]
//!     [--min-valid N] [--chance-from FILE]… [--json]
//!     [--html FILE] [--plot FILE.svg|png]
//! ```
//!
//! Without a file it takes the bundled runs (made by `demo-data`), of which the true chance of
//! success is known: it is what the truthful stream says at the stop. Each file is one stream of
//! forecasts; where all hold the same runs, every two are compared. An id may stand once in a file.

use std::{collections::BTreeMap, error::Error, path::PathBuf};

use agent_scorecard::traces::TraceRun;

use crate::{
    cut_off::{
        chances::{self, Sources},
        options::Options,
        report::{Comparison, Hide, ReportSettings},
        streams::{Pair, Report, Stream, WAYS, evaluate},
    },
    files::{bundled, run_counts},
    output::{
        file_reports,
        form::Forms,
        program::Written,
        table::{Layout, number},
    },
    plain,
    progress::working,
    report::{self, figure::Figures},
    traces::trace_file::{self, TraceFile},
};
use trajectory_metrics::{ForecastPolicy, Probability, WeightSchedule};

struct Arguments {
    files: Vec<PathBuf>,
    bundled: bool,
    schedule: WeightSchedule,
    missing: ForecastPolicy,
    settings: ReportSettings,
    sources: SourceFiles,
    forms: Forms,
}

/// The files that chances of success come from.
struct SourceFiles {
    success_chance: Option<PathBuf>,
    continuations: Option<PathBuf>,
    chance_from: Vec<PathBuf>,
}

fn arguments(options: Options) -> Arguments {
    let Options { mut files, schedule, missing, forms, .. } = options;
    let sources = SourceFiles {
        success_chance: options.success_chance,
        continuations: options.continuations,
        chance_from: options.chance_from,
    };
    let hide = options.hide.map(Hide::Rate).or(options.hide_after.map(Hide::After));
    let settings = ReportSettings {
        assumption: options.assume,
        resamples: options.resamples,
        seed: options.seed,
        odds_ratio: options.odds_ratio,
        calibration: options.calibrate,
        hide,
        min_valid: options.min_valid,
    };
    let bundled = files.is_empty();
    if bundled {
        files = ["truthful", "overconfident", "constant"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    Arguments { files, bundled, schedule, missing, settings, sources, forms }
}

impl SourceFiles {
    fn read(&self, missing: ForecastPolicy, min_valid: u64) -> Result<Sources, Box<dyn Error>> {
        let mut sources = Sources { min_valid, ..Sources::default() };
        if let Some(path) = &self.success_chance {
            sources.given = Some((path.clone(), chances::read_chances(path)?));
        }
        if let Some(path) = &self.continuations {
            sources.continuations = Some((path.clone(), chances::read_continuations(path)?));
        }
        for path in &self.chance_from {
            let teacher = trace_file::read(path, missing)?;
            teacher.check_ids()?;
            sources.teachers.push((path.clone(), teacher));
        }
        Ok(sources)
    }
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let arguments = arguments(options);
    let Arguments { files, bundled, schedule, missing, .. } = arguments;
    let (settings, forms, paths) = (arguments.settings, arguments.forms, arguments.sources);
    paths.chance_from.iter().try_for_each(|path| chances::check_teacher(path, &files))?;
    let all: Vec<TraceFile> =
        files.iter().map(|path| trace_file::read(path, missing)).collect::<Result<_, _>>()?;
    all.iter().try_for_each(|file| file.check_ids())?;
    let mut sources = paths.read(missing, settings.min_valid)?;
    let named: Vec<(String, &TraceFile)> =
        files.iter().zip(&all).map(|(path, file)| (path.display().to_string(), file)).collect();
    // The truthful stream comes first.
    let known = if bundled { Some(last_forecasts(&all[0].runs)?) } else { None };
    if let (Some(known), true) = (&known, sources.is_empty()) {
        // The world that made these runs is known.
        sources.given = Some((bundled::path("demo_truthful.jsonl"), known.clone()));
    }
    let report = working("scoring cut-off runs", || {
        evaluate(&named, &schedule, known.as_ref(), &settings, &sources)
    })?;
    let names = file_reports::names(files.iter().map(PathBuf::as_path));
    forms.write(
        "cut-off",
        |layout| Ok(table(&report, &names, layout)),
        || Ok(report::files::json("cut-off", &report, Figures::new())?),
    )
}

fn last_forecasts(runs: &[TraceRun]) -> Result<BTreeMap<String, Probability>, Box<dyn Error>> {
    let mut last = BTreeMap::new();
    for run in runs {
        if let Some(&forecast) = run.stopped()?.forecasts().last() {
            last.insert(run.id.clone(), forecast);
        }
    }
    Ok(last)
}

fn table(report: &Report, names: &[String], layout: Layout) -> String {
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
    rows.push(row("chances from", &|file| {
        file.success_chance.as_ref().map_or("nothing was cut off", |of| of.source).to_owned()
    }));
    let counts = names.iter().zip(&report.files).map(|(name, file)| (name.as_str(), &file.runs));
    let mut text = run_counts::lines(counts);
    text.push_str(&format!(
        "Mean score, {}, {} weights; higher is better\n\n{}",
        report.rule,
        report.schedule,
        layout.table(&rows)
    ));
    let called = |file: &String| {
        let place = report.files.iter().position(|other| other.file == *file);
        place.and_then(|place| names.get(place)).unwrap_or(file).clone()
    };
    if !report.pairs.is_empty() {
        let mut rows = vec![
            ["difference of exact means", "at the chances", "bounds", "sign kept", "largest width"]
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
        text.push_str(&layout.table(&rows));
    }
    for (stream, name) in report.files.iter().zip(names) {
        text.push_str(&comparisons(stream, name, layout));
    }
    if !report.order_changes.is_empty() {
        text.push('\n');
    }
    for change in &report.order_changes {
        let (first, second) = (called(&change.first), called(&change.second));
        text.push_str(&format!(
            "order change, {} {}: {first} is ahead of {second} by {} and behind by {}\n",
            change.rule, change.schedule, change.from, change.to
        ));
    }
    text.push('\n');
    for note in &report.notes {
        let mut note = note.clone();
        for (file, name) in report.files.iter().zip(names) {
            note = note.replace(&file.file, name);
        }
        text.push_str(&plain::note(&note));
    }
    text
}

/// The differences from complete-only means, by rule and schedule, and the split of the shift.
fn comparisons(stream: &Stream, name: &str, layout: Layout) -> String {
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
        let name = plain::line(name);
        text = format!("\n{name}, assumption {}\n\n{}", report.assumption, layout.table(&rows));
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
        let name = plain::line(name);
        text.push_str(&format!("\n{name}, hidden outcomes\n\n{}", layout.table(&rows)));
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
