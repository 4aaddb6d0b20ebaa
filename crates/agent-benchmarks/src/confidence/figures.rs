use std::collections::BTreeMap;

use censoring::{
    CensoringAnalysis, CensoringAssumption, CensoringReport, ContinuationAudit, Continuations,
    StopClass, Stopped,
};
use run_logs::ConfidenceStream;
use scoring_rules::{ExactMean, Probability, Weight, checks::same_length};
use trajectory_metrics::{
    Better, Bootstrap, Clustered, Figure, Intervals, Metric, NoInterval, Resampling, ScoredStream,
    Summary, Traces, Undefined, WeightSchedule,
};

use crate::{
    confidence::{
        outcome::ConfidenceRecord,
        predictors::{Continued, FollowUp, derived},
    },
    error::Error,
    values::record::Figures,
};

/// The source of the forecasts of [`ConfidenceFigures`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Predictor {
    /// The values that the replies of the run contain.
    Recorded(ConfidenceStream),
    /// A stream that is computed from several replies or from continuations, by name: `agreement`
    /// ([`agreement`](super::agreement)), `semantic_entropy` ([`semantic_confidence`](super::semantic_confidence)),
    /// `saup` ([`saup`](super::saup)), `uprop` ([`uprop`](super::uprop)), or a stream of the caller.
    Derived(String),
}

impl PartialEq<ConfidenceStream> for Predictor {
    fn eq(&self, other: &ConfidenceStream) -> bool {
        matches!(self, Self::Recorded(stream) if stream == other)
    }
}

impl Predictor {
    /// Returns the name of the stream.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Recorded(stream) => stream.name(),
            Self::Derived(name) => name,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    runs: usize,
    /// The complete runs by question, with their outcomes.
    rows: Clustered<String, (Vec<Probability>, bool)>,
    /// The cut-off runs by question, with their horizons and their probabilities of success.
    cut_off: Clustered<String, (Vec<Probability>, CutOff)>,
    /// All runs to which the model replied, by question: whether the run has an answer, and whether the answer is right.
    answered: Clustered<String, [bool; 2]>,
    /// The squared distance of each forecast with continuations to the probability from its continuations, by question.
    distances: Clustered<String, f64>,
    left_out: BTreeMap<String, u64>,
    excluded: BTreeMap<String, u64>,
    without_outcome: usize,
    without_reply: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct CutOff {
    reason: Option<censoring::StopReason>,
    horizon: usize,
    success: Option<Probability>,
    continuations: Continuations,
}

const ACCURACY: [Metric<[ExactMean; 2]>; 2] = [
    Metric::new(
        "accuracy",
        "accuracy",
        Better::Higher,
        "Share of runs with an answer whose answer is right, in [0, 1].",
        |[_, right]: &[ExactMean; 2]| {
            right.finish().map_err(|_| Undefined::new("no run has an answer"))
        },
    )
    .share(),
    Metric::new(
        "solved",
        "share of runs solved",
        Better::Higher,
        "Share of runs that end with a right answer, among all runs in which the model replied, in [0, 1].",
        |[all, _]: &[ExactMean; 2]| {
            all.finish().map_err(|_| Undefined::new("the model replied in no run"))
        },
    )
    .share(),
];

const DISTANCE: Metric<ExactMean> = Metric::new(
    "squared_distance_to_truth",
    "squared distance to the true chance",
    Better::Lower,
    "Mean of (F - q)^2 over steps with continuations, where F is the forecast and q the share of continuations that succeed. The part that the sampling error of q adds is subtracted.",
    |mean: &ExactMean| {
        mean.finish().map_err(|_| Undefined::new("no step has enough continuations"))
    },
);

/// The statistics of one [`Predictor`], such as the stated confidence.
///
/// ```
/// use agent_benchmarks::{Checker, Level, Question, Reply, Seed, converse};
/// use agent_benchmarks::confidence::{Confidence, ConfidenceFigures, ConfidenceStream, FollowUp};
/// use trajectory_metrics::Intervals;
///
/// let setting = Confidence::new(3)?;
/// let text = "<action>answer: yes</action><confidence>0.75</confidence>";
/// let mut records = Vec::new();
/// for number in 0..8 {
///     let checker = Checker::YesNo { answer: number % 4 > 0 };
///     let instance = setting.instance(&Question::new(format!("q{number}"), "?", checker));
///     let always_yes = |_: &_| Ok(Reply { text: text.to_owned(), ..Reply::default() });
///     records.push(converse(instance.conversation(), always_yes)?);
/// }
/// let none = FollowUp::default();
/// let how = Intervals { level: Level::new(0.95)?, resamples: 100, seed: Seed(7) };
/// let rows = ConfidenceFigures::of(records.iter().map(|it| (it, &none)), how)?;
/// let stated = rows.iter().find(|row| row.stream == ConfidenceStream::StatedConfidence);
/// let complete = stated.and_then(|row| row.complete.as_ref()).expect("eight runs");
/// assert_eq!((complete.traces.len(), complete.base_rate), (8, 0.75));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConfidenceFigures {
    /// The source of the forecasts.
    pub stream: Predictor,
    /// The number of all runs. Each run is in exactly one place: in [`Self::complete`], [`Self::cut_off`],
    /// [`Self::without_reply`], [`Self::left_out`] or [`Self::excluded`].
    pub runs: usize,
    /// The number of runs that have no answer although the model replied: runs that a limit cut off, whether or not
    /// they have the stream, and excluded runs.
    pub without_outcome: usize,
    /// The number of runs that ended because the model gave no reply.
    pub without_reply: usize,
    /// The number of runs that lack the stream, for each name of a reason.
    pub left_out: BTreeMap<String, u64>,
    /// The number of runs without an answer that cannot be scored, for each stop reason, such as `parse_error` for
    /// unreadable replies.
    pub excluded: BTreeMap<String, u64>,
    /// The number of cut-off runs that have the stream.
    pub cut_off: usize,
    /// The results over complete runs; `None` if there is no complete run.
    pub complete: Option<CompleteRuns>,
    /// The scores of complete and cut-off runs together, under linear-front weights; `None` without a cut-off run.
    /// There are four treatments: complete runs only; simple, which assumes that cut-off runs would have failed;
    /// exact, if each cut-off run has a probability of success, which assumes that a stop carries no information about
    /// the outcome, given the run so far; and bounds without an assumption.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), arXiv:2605.24756, section 5.2.
    pub with_cut_off: Option<CensoringReport>,
    /// The probabilities of success that continuations give to cut-off runs, and the change of the exact score that
    /// results, under linear-front and uniform weights. `None` if no cut-off run has [`Continued::MIN_VALID`]
    /// outcomes.
    ///
    /// Reference: the paper's appendix H.2, tables 7 to 9.
    pub continuations: Option<ContinuationAudit>,
    /// The metric `accuracy`, the share of right answers among all answers; `solved`, their share among all runs to
    /// which the model replied; and, if steps were continued, `squared_distance_to_truth`.
    pub figures: Figures,
}

/// The scores of one stream of forecasts over the runs with an outcome. Steps have the weights of
/// [`WeightSchedule::LinearFront`], and intervals come from a bootstrap that resamples questions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompleteRuns {
    /// The forecasts and outcomes, in the order of the questions.
    pub traces: Traces,
    /// The share of successes.
    pub base_rate: f64,
    /// The metrics of [`ScoredStream::estimates`].
    pub figures: Figures,
    /// The metrics of a reference stream that always forecasts the base rate.
    pub reference: Figures,
}

impl ConfidenceFigures {
    /// Returns the figures of one model's conversations: one entry for each stream of forecasts, sorted by stream. The
    /// results in [`Self::continuations`], and the exact score in [`Self::with_cut_off`] without a
    /// [`FollowUp::success`], use the continuations of a cut-off run if at least [`Continued::MIN_VALID`] of them have
    /// an outcome.
    ///
    /// # Errors
    ///
    /// The errors of [`ConfidenceRecord::forecasts`]; [`scoring_rules::Error::Length`] for a further stream without a forecast for
    /// each step; [`scoring_rules::Error::Setting`] for more than 10 million resamples.
    pub fn of<'a>(
        runs: impl IntoIterator<Item = (&'a ConfidenceRecord, &'a FollowUp)>,
        how: Intervals,
    ) -> Result<Vec<Self>, Error> {
        let mut groups: BTreeMap<Predictor, Group> = BTreeMap::new();
        for (record, FollowUp { success, continued, streams }) in runs {
            let steps = record.record.run.agent_turns().count();
            let at_stop = continued.iter().find(|it| it.step == steps);
            let success = success.or_else(|| at_stop.and_then(Continued::success));
            let mut add = |stream, forecasts: Result<Vec<Probability>, &str>| {
                groups.entry(stream).or_default().add(record, success, continued, forecasts);
            };
            for stream in ConfidenceStream::ALL {
                let forecasts = record.forecasts(stream)?;
                let forecasts = forecasts.as_ref().map_err(|(_, reason)| reason.name());
                add(Predictor::Recorded(stream), forecasts.cloned());
            }
            if continued.iter().any(|it| it.step == 0) {
                for (name, forecasts) in derived(record, continued) {
                    add(Predictor::Derived(name.to_owned()), forecasts);
                }
            }
            for (name, forecasts) in streams {
                same_length("forecasts", steps, forecasts.as_ref().map_or(steps, Vec::len))?;
                let forecasts = forecasts.as_ref().map_err(String::as_str);
                add(Predictor::Derived(name.clone()), forecasts.cloned());
            }
        }
        let rows = groups.into_iter().map(|(stream, group)| {
            let (with_cut_off, continuations) = group.with_cut_off(how)?;
            Ok(Self {
                stream,
                runs: group.runs,
                cut_off: group.cut_off.rows().len(),
                complete: group.complete(how)?,
                with_cut_off,
                continuations,
                figures: group.figures(how)?,
                without_outcome: group.without_outcome,
                without_reply: group.without_reply,
                left_out: group.left_out,
                excluded: group.excluded,
            })
        });
        rows.collect()
    }
}

impl Group {
    /// Adds a run; `success` is the probability of success of a cut-off run.
    fn add(
        &mut self,
        record: &ConfidenceRecord,
        success: Option<Probability>,
        continued: &[Continued],
        forecasts: Result<Vec<Probability>, &str>,
    ) {
        self.runs += 1;
        let (run, question) = (&record.record.run, &record.record.run.id);
        let class = run.stop.as_ref().map(censoring::StopReason::class);
        if run.error.is_some() {
            self.without_reply += 1;
            return;
        }
        let answered = [run.outcome.is_some(), run.outcome == Some(true)];
        self.answered.update(question.clone(), Weight::ONE, answered);
        self.without_outcome += usize::from(run.outcome.is_none());
        if run.outcome.is_none() && class != Some(StopClass::Censored) {
            let reason = run.stop.as_ref().map_or("no stop reason".into(), |it| it.to_string());
            *self.excluded.entry(reason).or_default() += 1;
            return;
        }
        let forecasts = match forecasts {
            Ok(forecasts) => forecasts,
            Err(reason) => {
                *self.left_out.entry(reason.to_owned()).or_default() += 1;
                return;
            }
        };
        let after = |step: usize| continued.iter().find(|it| it.step == step);
        for (step, forecast) in (1..).zip(&forecasts) {
            let distance = after(step).and_then(|it| it.squared_distance(*forecast));
            if let Some(distance) = distance {
                self.distances.update(question.clone(), Weight::ONE, distance);
            }
        }
        match run.outcome {
            Some(outcome) => self.rows.update(question.clone(), Weight::ONE, (forecasts, outcome)),
            None => {
                let stated = run.horizon.and_then(|steps| usize::try_from(steps).ok());
                let horizon = stated.map_or(forecasts.len(), |it| it.max(forecasts.len()));
                let continuations = after(forecasts.len()).map(|it| it.counts).unwrap_or_default();
                let reason = run.stop.clone();
                let outcome = CutOff { reason, horizon, success, continuations };
                self.cut_off.update(question.clone(), Weight::ONE, (forecasts, outcome));
            }
        }
    }

    fn with_cut_off(
        &self,
        intervals: Intervals,
    ) -> Result<(Option<CensoringReport>, Option<ContinuationAudit>), Error> {
        if self.cut_off.is_empty() {
            return Ok((None, None));
        }
        let (mut runs, mut questions) = (Vec::new(), Vec::new());
        for (question, _, (forecasts, outcome)) in self.rows.rows() {
            runs.push(Stopped::new(forecasts, Some(*outcome), None)?);
            questions.push(question.as_str());
        }
        // The values of complete runs are not used.
        let mut success = vec![Probability::HALF; self.rows.rows().len()];
        let mut continuations = vec![Continuations::default(); self.rows.rows().len()];
        for (question, _, (forecasts, cut_off)) in self.cut_off.rows() {
            let run = Stopped::new(forecasts, None, cut_off.reason.clone())?;
            runs.push(run.with_horizon(cut_off.horizon)?);
            questions.push(question.as_str());
            success.extend(cut_off.success);
            continuations.push(cut_off.continuations);
        }
        let success = (success.len() == runs.len()).then_some(success.as_slice());
        let assumption = match success {
            Some(_) => CensoringAssumption::NonInformative,
            None => CensoringAssumption::FailureSide,
        };
        let analysis = |schedules: &[WeightSchedule]| {
            let analysis = CensoringAnalysis::new(assumption).with_schedules(schedules);
            analysis.with_intervals(Some(intervals))
        };
        let report =
            analysis(&[WeightSchedule::LinearFront]).report(&runs, success, None, &questions)?;
        let audit = analysis(&[WeightSchedule::LinearFront, WeightSchedule::Uniform])
            .audit_continuations(&runs, &continuations, None, &questions, Continued::MIN_VALID);
        match audit {
            Ok(audit) => Ok((Some(report), Some(audit))),
            // No run has enough outcomes.
            Err(censoring::Error::ScoringRules(scoring_rules::Error::Empty)) => {
                Ok((Some(report), None))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn figures(&self, how: Intervals) -> Result<Figures, Error> {
        let add = |[all, given]: &mut [ExactMean; 2], row: &[bool; 2], weight: Weight| {
            let [is_answered, is_right] = *row;
            let right = f64::from(u8::from(is_right));
            all.update_weighted(right, weight)?;
            if is_answered {
                given.update_weighted(right, weight)?;
            }
            Ok::<_, Error>(())
        };
        let empty = [ExactMean::default(), ExactMean::default()];
        let shares = self.answered.figures(&ACCURACY, &empty, add, Some(how))?;
        let mut figures: Vec<_> = ACCURACY.iter().map(|it| it.measure).zip(shares).collect();
        if !self.distances.is_empty() {
            let add = |mean: &mut ExactMean, distance: &f64, weight: Weight| {
                Ok::<_, Error>(mean.update_weighted(*distance, weight)?)
            };
            let found =
                self.distances.figures(&[DISTANCE], &ExactMean::default(), add, Some(how))?;
            figures.extend(found.into_iter().map(|figure| (DISTANCE.measure, figure)));
        }
        Ok(figures)
    }

    fn complete(
        &self,
        Intervals { level, resamples, seed }: Intervals,
    ) -> Result<Option<CompleteRuns>, Error> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let (mut traces, mut questions) = (Traces::default(), Vec::new());
        for (question, _, (forecasts, outcome)) in self.rows.rows() {
            traces.push(forecasts, *outcome)?;
            questions.push(question);
        }
        // The runs of one question say nothing of the variation between questions.
        let several = questions.windows(2).any(|pair| pair[0] != pair[1]);
        let lacks = (!several && resamples > 0).then(|| NoInterval::too_few(1, level));
        let bootstrap = match several && resamples > 0 {
            true => Some(Bootstrap::clusters(&questions, seed)?),
            false => None,
        };
        let resampling =
            bootstrap.as_ref().map(|bootstrap| Resampling { bootstrap, resamples, level });
        let schedule = WeightSchedule::LinearFront;
        let scored = |traces: &Traces| {
            let summary = Summary::Weighted(schedule.clone());
            let scored = ScoredStream::new(traces, &schedule, &summary)?;
            let found = scored.estimates(None, resampling)?.into_iter();
            let figure = |figure: Figure| match lacks {
                Some(reason) => Figure { interval: Err(reason), ..figure },
                None => figure,
            };
            let figures = found.map(|it| (it.measure, it.figure.map(figure))).collect();
            Ok::<(Probability, Figures), Error>((scored.base_rate(None)?, figures))
        };
        let (rate, figures) = scored(&traces)?;
        let (_, reference) = scored(&traces.map_forecasts(|_, _| rate))?;
        Ok(Some(CompleteRuns { traces, base_rate: rate.get(), figures, reference }))
    }
}
