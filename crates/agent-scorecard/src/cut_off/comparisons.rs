//! Scores by every rule and weight schedule, and the effect of hiding known outcomes on them.

use censoring::{
    CensoringAnalysis, ContinuationAudit, ContinuationComparison, HiddenOutcomeShift, MeanShift,
    Observation, RankChange, ScoreComparison, Seed, StopClass, Stopped, Trace, artificial_stops,
};
use trajectory_metrics::{
    BetaScore, Better, BrierScore, Figure, Interval, Intervals, LogScore, Measure, Probability,
    ScoringRule, Tps, Undefined, WeightSchedule,
};

use crate::{
    cut_off::{
        sample::Sample,
        settings::{CutOffOptions, Hide},
    },
    error::Error,
    report::{
        block::{Block, Field, notes_on_lacking},
        key,
        sentence::counted,
        tables::shown,
    },
};

/// The values compared under a rule and a weight schedule: the key in JSON, the name for people, and the value.
type Compared = (&'static str, &'static str, fn(&ScoreComparison) -> Option<Figure>);

/// The keys of the ends of bounds, and of the effect of counting cut-off runs as failures.
pub(super) const LOW: &str = "low";
pub(super) const HIGH: &str = "high";
pub(super) const EXACT_MINUS_SIMPLE: &str = "exact_minus_simple";

/// The compared values. The means come first, in the order in which treatments are compared. The differences, which
/// tables show, follow.
const COMPARED: [Compared; 8] = [
    ("complete_only", "", |row| row.complete_only),
    ("simple", "", |row| Some(row.simple)),
    ("exact", "", |row| row.exact),
    ("as_success", "", |row| Some(row.as_success)),
    ("ipcw", "", |row| row.ipcw),
    ("simple_shift", "simple - complete", |row| row.simple_shift),
    ("exact_shift", "exact - complete", |row| row.exact_shift),
    (EXACT_MINUS_SIMPLE, "exact - simple", |row| row.exact_minus_simple),
];

/// The number of treatments under which the order of streams is compared. They are the first of [`COMPARED`].
const TREATMENTS: usize = 3;

/// Returns the bounds of an interval under labels, which are empty if only JSON has the bounds.
pub(super) fn bounds(interval: Interval, [low, high]: [&'static str; 2]) -> Block {
    let (low, high) =
        (Field::shown(LOW, low, interval.low()), Field::shown(HIGH, high, interval.high()));
    Block::of([low, high])
}

/// Scores one stream by every rule and weight schedule, and adds notes. Forecasts are calibrated under the weights of
/// each schedule.
pub(super) fn comparisons(
    sample: &Sample<'_>,
    chances: Option<&[Probability]>,
    options: &CutOffOptions,
    notes: &mut Vec<String>,
) -> Result<(Block, Vec<ScoreComparison>), Error> {
    let (mut rows, mut hidden, mut audits) = (Vec::new(), Vec::new(), Vec::new());
    let mut selection = Block::default();
    let branches = sample.branches(options);
    let clusters = sample.clusters();
    let (resamples, seed) = (options.resamples, Seed(options.seed));
    let intervals = Intervals { resamples, seed, ..Intervals::default() };
    for (at, schedule) in WeightSchedule::NAMED.iter().enumerate() {
        let forecasts = sample.calibrated(options, schedule, &mut Vec::new())?;
        let runs = sample.with_forecasts(forecasts.as_deref())?;
        let mut analysis = CensoringAnalysis::new(options.assumption)
            .with_schedules(std::slice::from_ref(schedule))
            .with_intervals(Some(intervals))
            .with_odds_ratio(options.odds_ratio)?;
        if options.curve_groups.is_some() {
            analysis = analysis.with_curve_groups(&sample.curve_groups(options));
        }
        let report = analysis.report(&runs, chances, None, &clusters)?;
        if at == 0 {
            let [complete, censored] =
                [StopClass::Complete, StopClass::Censored].map(|class| report.audit.group(class));
            let is_cut_off = censored.is_some();
            let label = |label| if is_cut_off { label } else { "" };
            selection.fields = vec![
                Field::json("complete_length", complete.map(|group| group.mean_length)),
                Field::json("censored_length", censored.map(|group| group.mean_length)),
                Field::json("complete_forecast", complete.map(|group| group.mean_forecast)),
                Field::json("censored_forecast", censored.map(|group| group.mean_forecast)),
                Field::shown("length_ratio", label("length ratio"), report.length_ratio()),
                Field::shown(
                    "forecast_difference",
                    label("difference of mean forecasts"),
                    report.forecast_difference(),
                ),
            ];
        }
        rows.extend(report.comparisons);
        if let Some(hide) = options.hidden() {
            hidden.extend(hidden_rows(sample, &runs, schedule, hide, options.seed)?);
        }
        if let Some(branches) = &branches {
            match analysis.audit_continuations(&runs, branches, None, &clusters, options.min_valid)
            {
                Ok(audit) => audits.push(audit),
                // No run has enough outcomes.
                Err(censoring::Error::ScoringRules(scoring_rules::Error::Empty)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    // One audit; only its comparisons differ between schedules.
    let audit = audits.into_iter().reduce(|mut first, other| {
        first.comparisons.extend(other.comparisons);
        first
    });
    if branches.is_some() && audit.is_none() {
        notes.push(format!(
            "continuations: no table, because no run that was cut off has continuations with at least {least} outcomes",
            least = options.min_valid,
        ));
    }
    selection.title = "how cut-off runs differ from complete ones".to_owned();
    let is_cut_off = sample.cut_off().next().is_some();
    let blocks: Vec<Block> = rows.iter().map(|row| comparison(row, is_cut_off)).collect();
    notes.extend(missing_intervals(&blocks));
    let mut block = Block::default();
    block.push_json("assumption", &options.assumption);
    block.push_json("odds_ratio", &options.odds_ratio);
    block.fields.push(Field::block("selection", selection));
    let title = "effect of the treatment of cut-off runs";
    block.fields.push(Field::rows(key::comparisons, title, blocks));
    let hidden = options.hidden().map(|hide| {
        let mut block = Block::default();
        block.push_json("hide", &hide);
        if let Some(row) = hidden.first() {
            let [n, n_hidden] = [key::n, key::n_hidden].map(|key| row.count(key));
            let rate = (n > 0).then(|| n_hidden as f64 / n as f64);
            block.fields.push(Field::shown("rate", "share of complete runs hidden", rate));
            notes.push(format!(
                "hide: the outcomes of {n_hidden} of {complete_runs} are hidden, a rate of {rate}{kept}",
                complete_runs = counted(n, "complete run"),
                rate = shown(rate.unwrap_or(0.0)),
                kept = match hide {
                    Hide::Rate(_) => "; with --hide, runs of one step keep theirs, because they cannot be cut off",
                    _ => "",
                },
            ));
        }
        block.fields.push(Field::rows("rows", "effect of hiding known outcomes", hidden));
        block
    });
    block.fields.push(Field::block("hidden_outcomes", hidden));
    block.fields.push(Field::block("continuations", audit.as_ref().map(continuations)));
    Ok((block, rows))
}

/// Returns the block on the continuations of cut-off runs.
pub(crate) fn continuations(audit: &ContinuationAudit) -> Block {
    let mut block = Block::titled("continuations of cut-off runs", []);
    block.extend_json(audit);
    for field in &mut block.fields {
        if field.key == MEAN_CHANCE.key {
            *field = Field::figure(MEAN_CHANCE, Ok(audit.mean));
        } else if field.key == key::comparisons {
            let title = "exact scores at the chances of success from continuations";
            let rows = audit.comparisons.iter().map(continued).collect();
            *field = Field::rows(key::comparisons, title, rows);
        }
        field.label = match &*field.key {
            "retained" => "runs with enough outcomes",
            "left_out" => "runs with fewer outcomes",
            "median" => "median chance of success",
            "zero_share" => "share of chances of 0",
            "above_half_share" => "share of chances above 1/2",
            _ => continue,
        }
        .into();
    }
    block
}

const fn plain(key: &'static str, label: &'static str) -> Measure {
    Measure::new(key, label, Better::Neither, "")
}

const MEAN_CHANCE: Measure = plain("mean", "mean chance of success");

/// Returns a row of one rule and one weight schedule, at the probabilities of success that continuations give.
fn continued(row: &ContinuationComparison) -> Block {
    let figures = [
        (plain("simple", "as failures"), row.simple),
        (plain("exact", "exact"), row.exact),
        (plain("exact_minus_simple", "exact - as failures"), row.exact_minus_simple),
        (plain("unresolved_as_failure", "unresolved as failures"), row.unresolved_as_failure),
        (plain("unresolved_as_success", "unresolved as successes"), row.unresolved_as_success),
    ];
    let mut fields = vec![
        Field::shown(key::rule, "rule", row.rule.as_str()),
        Field::shown(key::schedule, "schedule", row.schedule.as_str()),
    ];
    fields.extend(figures.map(|(measure, figure)| Field::figure(measure, Ok(figure))));
    fields.push(Field::json("largest_identity_error", row.largest_identity_error));
    Block::of(fields)
}

/// Returns a row of one rule and one weight schedule.
fn comparison(row: &ScoreComparison, is_shown: bool) -> Block {
    let label = |label| if is_shown { label } else { "" };
    let mut fields = vec![
        Field::shown(key::rule, label("rule"), row.rule.as_str()),
        Field::shown(key::schedule, label("schedule"), row.schedule.as_str()),
    ];
    for (key, name, value) in COMPARED {
        let none = || {
            Undefined::new("the chance of success of some run is not known, or no run is complete")
        };
        let measure = Measure::new(key, label(name), Better::Neither, "");
        fields.push(Field::figure(measure, value(row).ok_or_else(none)));
    }
    let per_rate = row.simple_shift_per_rate;
    fields.extend([
        Field::shown("simple_shift_per_rate", label("(simple - complete) / rate"), per_rate),
        Field::json("exact_shift_per_rate", row.exact_shift_per_rate),
        Field::block("sensitivity", row.sensitivity.map(|ends| bounds(ends, [""; 2]))),
        Field::block("bounds", bounds(row.bounds, [""; 2])),
    ]);
    Block::of(fields)
}

/// Returns the reasons why means and differences have no interval. Rules and schedules share their reasons.
fn missing_intervals(rows: &[Block]) -> Vec<String> {
    let all = rows.iter().flat_map(|row| COMPARED.map(|(key, ..)| (key, row.figure(key))));
    notes_on_lacking(all.filter_map(|(key, figure)| Some((key, Ok(figure.ok()?.interval.err()?)))))
}

/// Returns the effect of hiding outcomes of complete runs under one weight schedule, by rule.
fn hidden_rows(
    sample: &Sample<'_>,
    runs: &[Stopped<'_>],
    schedule: &WeightSchedule,
    hide: Hide,
    seed: u64,
) -> Result<Vec<Block>, Error> {
    let (mut traces, mut ids): (Vec<Trace<'_>>, Vec<&str>) = (Vec::new(), Vec::new());
    for (stopped, id) in runs.iter().zip(sample.ids()) {
        if let Observation::Complete(trace) = stopped.observation() {
            traces.push(trace);
            ids.push(id);
        }
    }
    let lengths: Vec<usize> = traces.iter().map(|trace| trace.forecasts().len()).collect();
    let after =
        |share: Probability, steps| Some(((share.get() * steps as f64) as usize).clamp(1, steps));
    let stops = match hide {
        Hide::Rate(rate) => artificial_stops(&lengths, &ids, |_| rate, Seed(seed))?,
        Hide::After(share) => lengths.iter().map(|&steps| after(share, steps)).collect(),
    };
    let rules: [(&str, Box<dyn ScoringRule>); 3] = [
        ("log", Box::new(LogScore::clipped(LogScore::CLIP)?)),
        ("brier", Box::new(BrierScore)),
        ("beta_2_4", Box::new(BetaScore::new(2.0, 4.0)?)),
    ];
    let row = |(rule, score): (&'static str, Box<dyn ScoringRule>)| {
        let tps = Tps::new(score, schedule.clone());
        let found = HiddenOutcomeShift::new(&tps, &traces, &stops, None)?;
        let mut fields = vec![
            Field::shown(key::rule, "rule", rule),
            Field::shown(key::schedule, "schedule", schedule.name()),
        ];
        fields.extend(shift(&found.all, |key| match key {
            "complete" | "shift" => key,
            "prefix_swap" => "prefix swap",
            "tail_omission" => "tail omission",
            _ => "",
        }));
        for (key, part) in [("failures", found.failures), ("successes", found.successes)] {
            let label = |of_part| if of_part == "shift" { key } else { "" };
            fields.push(Field::block(key, part.map(|part| Block::of(shift(&part, label)))));
        }
        fields.push(Field::json("largest_identity_error", found.largest_identity_error));
        Ok(Block::of(fields))
    };
    rules.into_iter().map(row).collect()
}

/// Returns the mean shift of some runs, each value under the label of its key.
fn shift(mean: &MeanShift, label: impl Fn(&'static str) -> &'static str) -> Vec<Field> {
    let scores = [
        ("complete", mean.complete_score),
        ("simple", mean.simple_score),
        ("shift", mean.simple_score - mean.complete_score),
        ("prefix_swap", mean.shift.prefix_swap),
        ("tail_omission", mean.shift.tail_omission),
    ];
    let mut fields = vec![Field::json(key::n, mean.runs), Field::json(key::n_hidden, mean.hidden)];
    let figure = |(key, score)| Field::figure(plain(key, label(key)), Ok(Figure::from(score)));
    fields.extend(scores.map(figure));
    fields
}

/// Returns the pairs of streams on the same runs that change their order between consecutive treatments of cut-off
/// runs.
pub(super) fn order_changes(
    streams: &[(&str, &str, &Vec<ScoreComparison>)],
) -> Result<Vec<Block>, Error> {
    let mut changes = Vec::new();
    let Some((.., first)) = streams.first() else { return Ok(changes) };
    for (at, row) in first.iter().enumerate() {
        for ((from, _, of_from), (to, _, of_to)) in
            COMPARED.into_iter().zip(COMPARED[1..TREATMENTS].to_vec())
        {
            let values = |of: fn(&ScoreComparison) -> Option<Figure>| {
                let scores = streams.iter().map(|(.., rows)| Some(of(&rows[at])?.value));
                scores.collect::<Option<Vec<f64>>>()
            };
            let (Some(before), Some(after)) = (values(of_from), values(of_to)) else { continue };
            for change in RankChange::between(&before, &after)? {
                let [(first, ahead, _), (second, behind, _)] =
                    [change.ahead, change.behind].map(|at| streams[at]);
                changes.push(Block::of([
                    Field::shown(key::rule, "rule", row.rule.as_str()),
                    Field::shown(key::schedule, "schedule", row.schedule.as_str()),
                    Field::json("first", first),
                    Field::json("second", second),
                    Field::shown("streams", "streams", format!("{ahead} - {behind}")),
                    Field::shown("from", "ahead under", from),
                    Field::shown("to", "behind under", to),
                ]));
            }
        }
    }
    Ok(changes)
}
