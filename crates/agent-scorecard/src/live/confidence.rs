//! Scores the confidence that a model reports.

use std::collections::BTreeMap;

use agent_benchmarks::{
    Figures,
    confidence::{CompleteRuns, ConfidenceFigures, ConfidenceRecord, ConfidenceStream, FollowUp},
};
use scoring_rules::{Seed, checks::same_length};
use trajectory_metrics::{Better, Figure, Measure, Summary, WeightSchedule};

use crate::{
    confidence::{self, AVERAGED, VERDICTS, clause},
    cut_off::comparisons::continuations,
    error::Error,
    live::{LiveOptions, Setting, report},
    report::{
        block::{Block, Field, Position, Report},
        picture::Pictures,
        sentence::{counted, left_out},
    },
    traces::pictures::curves,
};

/// Scores each stream of a model's confidence. A stream comes from the replies of the model, or from [`FollowUp`]
/// questions that were asked after a run.
///
/// # Errors
///
/// Errors of [`ConfidenceFigures::of`], and [`scoring_rules::Error::Length`] unless there is one follow-up per record.
pub fn confidence(
    records: &[ConfidenceRecord],
    follow_ups: &[FollowUp],
    options: &LiveOptions,
) -> Result<Report, Error> {
    same_length("follow-ups", records.len(), follow_ups.len())?;
    let rows = ConfidenceFigures::of(records.iter().zip(follow_ups), options.how())?;
    let note = rows.iter().any(|row| row.with_cut_off.is_some()).then(|| CUT_OFF.to_owned());
    // Streams of the replies come before streams derived from continuations, which may have fewer runs.
    let reference = rows.iter().find_map(base_rate);
    let settings = rows.iter().map(|row| setting(row, options));
    let mut settings = settings.collect::<Result<Vec<_>, _>>()?;
    // A stream of few runs, or one that says what another said, is left to the tables.
    let most = rows.iter().map(n_of).max().unwrap_or(0);
    let mut said: Vec<Vec<String>> = Vec::new();
    for (setting, row) in settings.iter_mut().zip(&rows) {
        if 2 * n_of(row) < most || said.contains(&setting.conclusion) {
            setting.conclusion.clear();
        } else {
            said.push(setting.conclusion.clone());
        }
    }
    let mut report = report(&options.model, settings.into_iter().chain(reference), note);
    let clipped: usize = records.iter().map(ConfidenceRecord::clipped).sum();
    if clipped > 0 {
        let confidences = counted(clipped, "stated confidence");
        report.conclusion.push(format!(
            "{confidences} outside [0, 1] counted as the nearer of 0 and 1, as in the paper. With --out-of-range ask-again, the model is asked again instead."
        ));
    }
    report.main_pictures = vec!["reliability"];
    for (column, row) in report.columns.iter_mut().zip(&rows) {
        column.block.pictures = pictures(row, options)?;
        if let Some(audit) = &row.continuations {
            column.block.fields.push(Field::block("continuations", continuations(audit)));
        }
    }
    Ok(report)
}

/// Returns the number of complete runs of a stream.
fn n_of(row: &ConfidenceFigures) -> usize {
    row.complete.as_ref().map_or(0, |it| it.traces.len())
}

/// Returns the streams of confidence of a benchmark that asks for them in addition to its task.
pub(super) fn streams(
    records: &[ConfidenceRecord],
    note: &str,
    options: &LiveOptions,
) -> Result<Block, Error> {
    let none = FollowUp::default();
    let rows = ConfidenceFigures::of(records.iter().map(|it| (it, &none)), options.how())?;
    let (rows, absent): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| {
        row.complete.is_some() || row.stream == ConfidenceStream::StatedConfidence
    });
    let mut block = Block::default();
    let mut by_reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for row in &absent {
        let reasons = row.left_out.iter().chain(&row.excluded);
        let reasons: Vec<_> = reasons.map(|(reason, n)| format!("{n} {reason}")).collect();
        by_reasons.entry(reasons.join(", ")).or_default().push(row.stream.name());
    }
    let absent = by_reasons.iter().map(|(reasons, names)| {
        format!("streams: no complete run has {streams} ({reasons})", streams = names.join(", "))
    });
    block.say(Position::Note, absent);
    let reference =
        rows.iter().find_map(base_rate).map(|it| ("base_rate_reference".to_owned(), it));
    let named = rows.iter().map(|row| Ok((row.stream.name().to_owned(), setting(row, options)?)));
    let named = named.collect::<Result<Vec<_>, Error>>()?;
    // The stated confidence is the last of the streams.
    if let Some(row) = rows.iter().rfind(|row| row.complete.is_some()) {
        block.pictures = pictures(row, options)?;
        for picture in block.pictures.values_mut() {
            picture.note = format!("Stream: {}. {}", row.stream.name(), picture.note);
        }
    }
    for (key, setting) in named.into_iter().chain(reference) {
        let fields = setting.measured().chain(setting.counted());
        let own = Block::titled("How good is the confidence?", fields);
        let mut own = own.saying(Position::Explanation, [note.to_owned()]);
        block.say(Position::Note, own.take_notes(&setting.name));
        block.fields.push(Field::block(key, own).labelled(setting.name));
    }
    Ok(block)
}

/// Returns pictures of the complete runs of a stream.
fn pictures(row: &ConfidenceFigures, options: &LiveOptions) -> Result<Pictures, Error> {
    let Some(complete) = &row.complete else { return Ok(Pictures::default()) };
    let summary = Summary::Weighted(WeightSchedule::LinearFront);
    let band = (options.resamples, Seed(options.seed));
    let (mut pictures, _) = curves(&complete.traces, &summary, band)?;
    pictures.retain(|name, _| matches!(name.as_str(), "reliability" | "forecast_by_step"));
    Ok(pictures)
}

fn setting(row: &ConfidenceFigures, options: &LiveOptions) -> Result<Setting, Error> {
    let verdicts = match &row.complete {
        Some(complete) => verdicts(complete, options)?,
        None => Vec::new(),
    };
    let sum = |counts: &BTreeMap<String, u64>| {
        usize::try_from(counts.values().sum::<u64>()).unwrap_or(usize::MAX)
    };
    Ok(Setting {
        name: row.stream.name().to_owned(),
        counts: vec![
            ("runs", n_of(row)),
            ("cut_off", row.cut_off),
            ("excluded", sum(&row.excluded)),
            ("without_answer", row.without_outcome),
            ("without_reply", row.without_reply),
            ("without_stream", sum(&row.left_out)),
        ],
        conclusion: conclusion(row, &verdicts),
        figures: verdicts.into_iter().chain(stream_figures(row)).collect(),
    })
}

/// Returns the verdicts on the weighted mean forecasts of complete runs, where each run has a different question.
fn verdicts(complete: &CompleteRuns, options: &LiveOptions) -> Result<Figures, Error> {
    let traces = &complete.traces;
    let forecasts = Summary::Weighted(WeightSchedule::LinearFront).forecasts(traces)?;
    let stated: Vec<f64> = forecasts.iter().map(|it| it.get()).collect();
    let outcomes: Vec<f64> = traces.outcomes().iter().map(|it| f64::from(u8::from(*it))).collect();
    let (own, level) = (Vec::from_iter(0..stated.len()), options.how().level);
    let level = Some(level).filter(|_| options.resamples > 0);
    let found = confidence::verdicts(&stated, &outcomes, &own, level);
    Ok(VERDICTS.into_iter().zip(found).collect())
}

/// Returns the conclusions on the complete runs of a stream, next to the number of runs cut off.
fn conclusion(row: &ConfidenceFigures, verdicts: &Figures) -> Vec<String> {
    if row.complete.is_none() {
        return Vec::new();
    }
    let verdicts = verdicts.iter().cloned().map(|(measure, it)| Field::figure(measure, it));
    let block = Block::of(verdicts);
    let cut_off = left_out([(row.cut_off as u64, "that a limit cut off")]);
    clause(&VERDICTS, &block, n_of(row) as u64, AVERAGED).into_iter().chain(cut_off).collect()
}

/// Returns the constant forecast that equals the share of successes among the complete runs of a stream.
fn base_rate(row: &ConfidenceFigures) -> Option<Setting> {
    let complete = row.complete.as_ref()?;
    Some(Setting {
        name: format!("base rate of the runs of {stream}", stream = row.stream.name()),
        counts: vec![("runs", complete.traces.len())],
        figures: complete.reference.clone(),
        ..Setting::default()
    })
}

/// Returns the figures over complete runs, and the figures that include runs that were cut off.
fn stream_figures(row: &ConfidenceFigures) -> Figures {
    let mut figures = row.complete.as_ref().map_or_else(Vec::new, |it| it.figures.clone());
    for (rule, [exact, others @ ..]) in WITH_CUT_OFF {
        let report = row.with_cut_off.as_ref();
        let Some(scores) = report.and_then(|it| it.comparison(rule, "linear-front")) else {
            continue;
        };
        let bounds = [scores.bounds.low(), scores.bounds.high()].map(Figure::from);
        let values = [scores.simple, bounds[0], bounds[1]].map(Ok);
        figures.extend(others.into_iter().zip(values));
        figures.extend(scores.exact.map(|figure| (exact, Ok(figure))));
    }
    if row.complete.is_some() || row.with_cut_off.is_some() {
        figures.extend(row.figures.iter().cloned());
    }
    figures
}

/// The assumption of the figures on cut-off runs.
const CUT_OFF: &str = "cut_off: tps_..._censored_simple counts runs as failures if a limit cut them off; _exact scores them at the share of their continuations that succeeded, and assumes that the stop itself says nothing about the outcome; _lowest and _highest are bounds without an assumption; all other figures are over complete runs";

/// The scores that include cut-off runs: at their probabilities of success, counted as failures, and the lower and
/// upper bound.
macro_rules! with_cut_off {
    ($($rule:literal)*) => { [$(
        ($rule, [
            Measure::new(concat!("tps_", $rule, "_censored_exact"), concat!("TPS, ", $rule, ", cut-off runs at chances of success"), Better::Higher, "Mean trajectory score over complete and cut-off runs. The chances of success of cut-off runs come from their continuations.").within(f64::NEG_INFINITY, 0.0),
            Measure::new(concat!("tps_", $rule, "_censored_simple"), concat!("TPS, ", $rule, ", cut-off runs as failures"), Better::Neither, "Mean trajectory score over complete and cut-off runs, if cut-off runs count as failures.").within(f64::NEG_INFINITY, 0.0),
            Measure::new(concat!("tps_", $rule, "_censored_lowest"), concat!("TPS, ", $rule, ", at least"), Better::Neither, "Lower bound of the mean trajectory score, whatever the outcomes of cut-off runs.").within(f64::NEG_INFINITY, 0.0),
            Measure::new(concat!("tps_", $rule, "_censored_highest"), concat!("TPS, ", $rule, ", at most"), Better::Neither, "Upper bound of the mean trajectory score, whatever the outcomes of cut-off runs.").within(f64::NEG_INFINITY, 0.0),
        ])
    ),*] };
}

/// The scores that include cut-off runs, by the names of the rules in
/// [`agent_benchmarks::confidence::CensoringReport`].
const WITH_CUT_OFF: [(&str, [Measure; 4]); 3] = with_cut_off!("log" "brier" "beta_2_4");
