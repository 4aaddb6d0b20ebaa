//! Scores estimates of what an agent's runs still spend, or estimates it itself from earlier runs.
//!
//! ```text
//! budget [FILE…] [--estimator linear|quantile|conformal|default|FILE] [--cap N]
//!     [--resource output_tokens|input_tokens|total_tokens|cost_usd|NAME,NAME…] [--coverage 0.8]
//!     [--lenient|--points] [--probes SEED]
//!     [--keys NAME,NAME…] [--warm-up N] [--resamples N] [--seed N] [--cluster-by-task]
//!     [--json] [--html FILE] [--plot FILE.svg|png] [--plot-id ID]
//! ```
//!
//! Without a file it takes bundled runs (made by `demo-data`). Runs are replayed in the order
//! of the file: the estimator sees each prefix, and learns from the run when it has ended. Each file
//! gets a column and an estimator of its own; with `--json`, `files` has a report of each where there are
//! several.

use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
};

use crate::{
    budget::{
        bagen_report,
        estimate_file::{self, Answers},
        figures,
        options::Options,
        report::{BudgetFigure, FIGURES, Report, evaluate},
        rollout_file::{self, RolloutFile, Spent},
        runs::{By, Settings, replay},
        spread::Spread,
    },
    files::{bundled, run_counts},
    output::{
        file_reports::{self, FileReport, NoDifference, Together},
        form::Forms,
        program::Written,
        table::Layout,
    },
    progress::working,
    values::ClusterBy,
};
use budget_estimation::{AnswerMode, Sample, joint_hits};

/// Estimators that learn from earlier runs.
const ESTIMATORS: [&str; 4] = ["linear", "quantile", "conformal", "default"];

struct Arguments {
    files: Vec<PathBuf>,
    /// `None` if it is not given.
    estimator: Option<String>,
    mode: AnswerMode,
    settings: Settings,
    resamples: usize,
    seed: u64,
    /// Whether a report on all files together is wanted too.
    pool: bool,
    forms: Forms,
    plot_id: Option<String>,
}

fn arguments(options: Options) -> Result<Arguments, Box<dyn Error>> {
    let Options { mut files, estimator, cap, coverage, probes, warm_up, clustering, .. } = options;
    let Options { resource, keys, resamples, seed, pool, forms, plot_id, .. } = options;
    let mode = match (options.lenient, options.points) {
        (_, true) => AnswerMode::LenientPoints,
        (true, _) => AnswerMode::Lenient,
        _ => AnswerMode::Strict,
    };
    let mut resources = resource.iter().cloned();
    let settings = Settings {
        spent: resources.next().unwrap_or_else(Spent::output_tokens),
        others: resources.collect(),
        probes,
        cap,
        keys: keys.map_or_else(Vec::new, |keys| keys.to_vec()),
        by: By::Linear,
        coverage,
        warm_up,
        cluster_by: clustering.by(),
    };
    if files.is_empty() {
        files.push(bundled::path("demo_rollouts.jsonl"));
    }
    if plot_id.is_some() && !forms.has_figures() {
        return Err(
            "--plot-id: chooses the run of a figure; give --plot FILE, --html FILE or --json too"
                .into(),
        );
    }
    if settings.cap.is_some() && !settings.others.is_empty() {
        return Err("--cap: give the caps of several resources in the files".into());
    }
    if forms.has_files() && !settings.others.is_empty() {
        return Err("--plot, --html: they show one resource; give one with --resource".into());
    }
    Ok(Arguments { files, estimator, mode, settings, resamples, seed, pool, forms, plot_id })
}

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let arguments = arguments(options)?;
    if let Some(released) = released_estimates(&arguments)? {
        return Ok(released);
    }
    let Arguments { files, estimator, mode, mut settings, resamples, seed, .. } = arguments;
    let estimator = estimator.unwrap_or_else(|| "linear".to_owned());
    if mode != AnswerMode::Strict && ESTIMATORS.contains(&estimator.as_str()) {
        let option = if mode == AnswerMode::Lenient { "--lenient" } else { "--points" };
        return Err(format!("{option}: reads recorded answers; give --estimator FILE too").into());
    }
    let mut resources = vec![settings.spent.clone()];
    resources.extend(settings.others.iter().cloned());
    let all: Vec<RolloutFile> =
        files.iter().map(|path| rollout_file::read(path, &resources)).collect::<Result<_, _>>()?;
    rollout_file::check_keys(&all, &settings.keys)?;
    let mut recorded = Vec::new();
    settings.by = match estimator.as_str() {
        "linear" => By::Linear,
        "quantile" => By::Quantile,
        "conformal" => By::Conformal,
        "default" => By::Default,
        file => {
            let path = Path::new(file);
            if !path.exists() {
                return Err(format!(
                    "--estimator: {file}: there is no such file, and no estimator of this name but {}",
                    ESTIMATORS.join(", ")
                )
                .into());
            }
            let names: Vec<&str> = resources.iter().map(Spent::name).collect();
            recorded = estimate_file::read(path, mode, &all, &names)?;
            let answers = recorded.first().cloned().unwrap_or_default();
            By::Recorded { file: estimator, answers }
        }
    };
    if settings.cluster_by == ClusterBy::TaskOnly {
        let mut rows = all.iter().flat_map(|file| file.rows.iter().map(move |row| (file, row)));
        if let Some((file, row)) = rows.find(|(_, row)| row.task.is_none()) {
            let (file, line) = (&file.file, row.line);
            return Err(format!("{file}:{line}: task: missing; --cluster-by-task needs it").into());
        }
    }
    if settings.probes.is_some() {
        let mut rows = all.iter().flat_map(|file| file.rows.iter().map(move |row| (file, row)));
        if let Some((file, row)) = rows.find(|(_, row)| row.achieved.is_none()) {
            let (file, line) = (&file.file, row.line);
            return Err(format!("{file}:{line}: achieved: missing; --probes needs it").into());
        }
    }
    if resources.len() > 1 {
        let several = Several { settings, resources, recorded, resamples, seed };
        return several.output(&all, arguments.pool, &arguments.forms);
    }
    let mut reports = Vec::new();
    for file in &all {
        let at = |error| format!("{}: {error}", file.file);
        let runs = working(&format!("replaying {}", file.file), || replay(&[file], &settings))
            .map_err(at)?;
        let report = working(&format!("scoring {}", file.file), || {
            evaluate(&runs, &settings, resamples, seed)
        });
        let mut report = report.map_err(at)?;
        if arguments.forms.has_figures() {
            let by = estimator_name(&settings);
            let id = arguments.plot_id.as_deref().filter(|_| all.len() == 1);
            report.curves = figures::figures(&runs, id, &by, &report)?;
        }
        reports.push((file.file.clone(), None, report));
    }
    let reports = file_reports::columns(reports);
    let pooled = || -> Result<Report, Box<dyn Error>> {
        let together: Vec<&RolloutFile> = all.iter().collect();
        let runs = replay(&together, &settings)?;
        let mut report = evaluate(&runs, &settings, resamples, seed)?;
        let by = estimator_name(&settings);
        let id = arguments.plot_id.as_deref();
        report.curves = figures::figures(&runs, id, &by, &report)?;
        report.notes.push(file_reports::POOLED.to_owned());
        Ok(report)
    };
    arguments.forms.write(
        "budget",
        |layout| Ok(table(&reports, &settings, resamples, layout)),
        || {
            file_reports::json(&reports, || {
                let pooled = if arguments.pool { Some(pooled()?) } else { None };
                Ok(Together::<_, NoDifference>::pooled(pooled))
            })
        },
    )
}

/// The name of the estimator, or the stem of the file of recorded answers.
fn estimator_name(settings: &Settings) -> String {
    Path::new(settings.by.name()).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The report on a file of BAGEN's released estimates; `None` if the files are runs.
fn released_estimates(arguments: &Arguments) -> Result<Option<Written>, Box<dyn Error>> {
    let Some((path, text)) =
        arguments.files.iter().find_map(|path| Some((path, bagen_report::text_of(path)?)))
    else {
        return Ok(None);
    };
    let Arguments { settings, resamples, seed, .. } = arguments;
    let other = if arguments.files.len() > 1 {
        Some("another FILE: give a file of BAGEN's estimates alone")
    } else if settings.cap.is_some() {
        Some("--cap: the file of BAGEN's estimates has its own caps")
    } else if !settings.others.is_empty() {
        Some("--resource: the file of BAGEN's estimates has its own resources")
    } else if arguments.estimator.is_some() {
        Some("--estimator: the file of BAGEN's estimates has its own answers")
    } else if settings.cluster_by == ClusterBy::TaskOnly {
        Some("--cluster-by-task: the file of BAGEN's estimates names no tasks")
    } else if arguments.forms.has_files() {
        Some("--plot, --html: they show runs, not a file of BAGEN's estimates")
    } else {
        None
    };
    if let Some(problem) = other {
        return Err(problem.into());
    }
    let coverage = settings.coverage;
    let found = bagen_report::evaluate(path, &text, arguments.mode, coverage, *resamples, *seed)?;
    let json = || Ok(serde_json::to_string_pretty(&found)? + "\n");
    arguments
        .forms
        .write("budget", |layout| Ok(bagen_report::table(&found, layout)), json)
        .map(Some)
}

/// Several resources that are estimated together.
struct Several {
    settings: Settings,
    resources: Vec<Spent>,
    /// Recorded answers by resource.
    recorded: Vec<Answers>,
    resamples: usize,
    seed: u64,
}

/// A report for each of several resources, and their joint hits.
#[derive(serde::Serialize)]
struct JointReport {
    joint_hit_rate: Option<f64>,
    n_joint_hits: usize,
    n_feasible: usize,
    resources: BTreeMap<String, Report>,
    notes: Vec<String>,
}

impl Several {
    fn output(
        &self,
        files: &[RolloutFile],
        pool: bool,
        forms: &Forms,
    ) -> Result<Written, Box<dyn Error>> {
        let mut reports = Vec::new();
        for file in files {
            reports.push((file.file.clone(), None, self.report(&[file])?));
        }
        let reports = file_reports::columns(reports);
        let json = || {
            file_reports::json(&reports, || {
                let files: Vec<&RolloutFile> = files.iter().collect();
                let mut pooled = if pool { Some(self.report(&files)?) } else { None };
                if let Some(report) = &mut pooled {
                    report.notes.push(file_reports::POOLED.to_owned());
                }
                Ok(Together::<_, NoDifference>::pooled(pooled))
            })
        };
        forms.write("budget", |layout| Ok(self.table(&reports, layout)), json)
    }

    /// The reports on the runs of files together.
    fn report(&self, files: &[&RolloutFile]) -> Result<JointReport, Box<dyn Error>> {
        let (mut by_name, mut samples) = (BTreeMap::new(), Vec::new());
        for (at, resource) in self.resources.iter().enumerate() {
            let mut settings = self.settings.clone();
            settings.spent = resource.clone();
            let others = self.resources.iter().filter(|&other| other != resource);
            settings.others = others.cloned().collect();
            if let (By::Recorded { answers, .. }, Some(own)) =
                (&mut settings.by, self.recorded.get(at))
            {
                answers.clone_from(own);
            }
            let runs = replay(files, &settings)?;
            let report = evaluate(&runs, &settings, self.resamples, self.seed)?;
            by_name.insert(resource.name().to_owned(), report);
            samples.push(runs.every_sample);
        }
        let lists: Vec<&[Sample]> = samples.iter().map(Vec::as_slice).collect();
        let hits = joint_hits(&lists)?;
        let labels = samples.first().into_iter().flatten().map(Sample::is_feasible);
        let feasible: Vec<bool> =
            labels.zip(hits).filter(|(it, _)| *it).map(|(_, hit)| hit).collect();
        let (n, n_hits) = (feasible.len(), feasible.iter().filter(|&&hit| hit).count());
        let mut notes = Vec::new();
        if n == 0 {
            let why = "undefined, as there is no prefix of a feasible run";
            notes.push(format!("joint_hit_rate: {why}"));
        }
        Ok(JointReport {
            joint_hit_rate: (n > 0).then(|| n_hits as f64 / n as f64),
            n_joint_hits: n_hits,
            n_feasible: n,
            resources: by_name,
            notes,
        })
    }

    /// The resources of each file side by side.
    fn table(&self, reports: &[FileReport<JointReport>], layout: Layout) -> String {
        let mut text = String::new();
        let mut rates = String::new();
        let mut columns = Vec::new();
        for FileReport { name, file, report, .. } in reports {
            let named = if reports.len() == 1 { String::new() } else { format!("{name} ") };
            for resource in &self.resources {
                let Some(of) = report.resources.get(resource.name()) else { continue };
                let name = format!("{named}{}", resource.name());
                let (file, model) = (file.clone(), None);
                columns.push(FileReport { name, file, model, report: of.clone() });
            }
            let rate = report.joint_hit_rate.map_or("undefined".to_owned(), number);
            rates.push_str(&format!(
                "\n{named}joint hit rate {rate}: {} of {} feasible prefixes\n",
                report.n_joint_hits, report.n_feasible
            ));
        }
        text.push_str(&table(&columns, &self.settings, self.resamples, layout));
        text + &rates
    }
}

fn table(
    reports: &[FileReport<Report>],
    settings: &Settings,
    resamples: usize,
    layout: Layout,
) -> String {
    let names: Vec<String> = reports.iter().map(|column| column.name.clone()).collect();
    let row = |name: &str, cell: &dyn Fn(&Report) -> String| -> Vec<String> {
        let cells = reports.iter().map(|named| cell(&named.report));
        std::iter::once(name.to_owned()).chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(names.iter().cloned()).collect()];
    for BudgetFigure { name: figure, better, .. } in FIGURES {
        rows.push(row(&format!("{figure} ({better})"), &|report| {
            let Some(value) = report.figures[figure] else { return "undefined".to_owned() };
            match report.intervals.get(figure) {
                Some(Spread { ci_low: Some(low), ci_high: Some(high), .. }) => {
                    format!("{value:.3} [{low:.3}, {high:.3}]")
                }
                _ => number(value),
            }
        }));
    }
    rows.push(Vec::new());
    let counts = reports.first().map(|named| named.report.counts.keys()).into_iter().flatten();
    for &count in counts {
        rows.push(row(count, &|report| report.counts[count].to_string()));
    }
    let cap = settings.cap.map_or("no cap".to_owned(), |cap| format!("cap {cap}"));
    let sure = if resamples == 0 {
        String::new()
    } else {
        let by_task = reports.iter().filter(|column| column.report.clustered_by_task).count();
        let what = match by_task {
            0 => "runs",
            all if all == reports.len() => "tasks",
            _ => "tasks or runs",
        };
        format!(", 95 % intervals by whole {what}, {resamples} resamples")
    };
    let counts = names.iter().zip(reports).map(|(name, of)| (name.as_str(), &of.report.runs));
    let mut text = format!(
        "{}{} by {}, {cap}, intervals claim {}{sure}; (+) higher is better, (-) lower, (=) near the claim, (0) near 0\n\n{}",
        run_counts::lines(counts),
        settings.spent.name(),
        settings.by.name(),
        settings.coverage.get(),
        layout.table(&rows)
    );
    if let [FileReport { report, .. }] = reports {
        text.push_str(&format!("\n{}", progress(report, layout)));
    }
    text.push('\n');
    let notes = reports.iter().map(|named| named.report.notes.as_slice());
    let named: Vec<_> = names.iter().map(String::as_str).zip(notes).collect();
    text + &file_reports::notes(&named)
}

/// Three decimals for shares, and for what is small; a token has no thousandths.
fn number(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.3}") } else { format!("{value:.0}") }
}

fn progress(report: &Report, layout: Layout) -> String {
    let titles = [
        "progress",
        "prefixes",
        "feasible",
        "hit rate",
        "reward",
        "optimistic",
        "conservative",
        "relative width",
    ];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    let cell = |value: Option<f64>| value.map_or("undefined".to_owned(), number);
    for bin in &report.by_progress {
        rows.push(vec![
            format!("{:.1} to {:.1}", bin.from, bin.to),
            bin.n_prefixes.to_string(),
            bin.n_feasible.to_string(),
            cell(bin.hit_rate),
            cell(bin.interval_reward),
            cell(bin.optimistic),
            cell(bin.conservative),
            cell(bin.mean_relative_width),
        ]);
    }
    layout.table(&rows)
}
