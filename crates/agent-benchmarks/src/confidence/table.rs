use std::collections::BTreeMap;

use censoring::{
    CensoringAnalysis, CensoringAssumption, CensoringReport, ContinuationAudit, Continuations,
    StopClass, Stopped,
};
use run_logs::ConfidenceStream;
use scoring_rules::{ExactMean, Level, Probability, Seed, Weight, checks::same_length};
use trajectory_metrics::{
    Better, Bootstrap, Clustered, Evaluation, EvaluationOptions, Intervals, Metric, NoInterval,
    Resampling, Traces, Undefined, WeightSchedule,
};

use crate::{
    confidence::{
        continued::{Continued, FollowUp},
        outcome::ConfidenceRecord,
        predictors::derived,
    },
    error::Error,
    values::figures,
};

/// The statistics of stated confidence for any number of models, one row per stream.
///
/// ```
/// use agent_benchmarks::{Checker, Level, Question, Reply, Seed, converse, model_from_fn};
/// use agent_benchmarks::confidence::{Confidence, ConfidenceStream, ConfidenceTable};
///
/// let setting = Confidence::new(3)?;
/// let always_yes = model_from_fn(|_| {
///     let text = "<action>answer: yes</action><confidence>0.75</confidence>".to_owned();
///     Ok(Reply { text, ..Reply::default() })
/// });
/// let mut table = ConfidenceTable::default();
/// for number in 0..8 {
///     let checker = Checker::YesNo { answer: number % 4 > 0 };
///     let instance = setting.instance(&Question::new(format!("q{number}"), "?", checker));
///     table.update("yes", &converse(instance.conversation(), always_yes)?)?;
/// }
/// let rows = table.finish(Level::new(0.95)?, 100, Seed::new(7))?;
/// let stated = rows.iter().find(|row| row.stream == ConfidenceStream::StatedConfidence);
/// let evaluation = stated.and_then(|row| row.evaluation.as_ref()).expect("eight runs");
/// assert_eq!((evaluation.n, evaluation.base_rate), (8, 0.75));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfidenceTable {
    groups: BTreeMap<(String, Predictor), Group>,
}

/// The source of the forecasts in a row of a [`ConfidenceTable`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Predictor {
    /// The values recorded in the replies of the run.
    Recorded(ConfidenceStream),
    /// A stream from more than one reply or from continuations, by name: `agreement` ([`agreement`](super::agreement)),
    /// `semantic_entropy` ([`semantic_confidence`](super::semantic_confidence)), `saup` ([`saup`](super::saup)), `uprop`
    /// ([`uprop`](super::uprop)), or a caller's own.
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

/// A run to be added to the rows of all predictors.
struct Added<'a> {
    model: &'a str,
    record: &'a ConfidenceRecord,
    /// The probability of success of a cut-off run.
    success: Option<Probability>,
    continued: &'a [Continued],
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
        "Share of all runs to which the model replied that end with a right answer, in [0, 1].",
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
    "Mean over steps with continuations of (F - q)^2 for the chance q that the continuations give, without the part that the error of q adds.",
    |mean: &ExactMean| {
        mean.finish().map_err(|_| Undefined::new("no step has enough continuations"))
    },
);

/// A row of a [`ConfidenceTable`].
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct ConfidenceFigures {
    /// The model.
    pub model: String,
    /// The stream.
    #[serde(serialize_with = "name_of")]
    pub stream: Predictor,
    /// The number of all runs. Each run is in exactly one place: in the evaluation, in [`Self::cut_off`],
    /// [`Self::without_reply`], [`Self::left_out`] or [`Self::excluded`].
    pub runs: usize,
    /// The number of runs without an answer although the model replied: runs cut off by a limit, with and without the stream, and
    /// excluded runs.
    pub without_outcome: usize,
    /// The number of runs that ended because the model gave no reply.
    pub without_reply: usize,
    /// The runs that lack the stream, by the name of the reason.
    pub left_out: BTreeMap<String, u64>,
    /// The runs without an answer that cannot be scored, by stop reason, for example because of unreadable replies
    /// (`parse_error`).
    pub excluded: BTreeMap<String, u64>,
    /// The number of cut-off runs that have the stream.
    pub cut_off: usize,
    /// Scores and diagnostics of the complete runs, with intervals that resample questions. The runs without the stream are its
    /// exclusions. `None` without a complete run.
    pub evaluation: Option<Evaluation>,
    /// The scores of complete and cut-off runs under linear-front weights: complete-only, simple (which assumes that cut-off runs
    /// would have failed), exact (if each cut-off run has a probability of success, and assuming that the stop of a run, given
    /// the run so far, carries no information about its outcome), and the assumption-free bounds. `None` without a cut-off run.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), arXiv:2605.24756, section 5.2.
    pub with_cut_off: Option<CensoringReport>,
    /// The probabilities of success of cut-off runs from their continuations, and the resulting change of the exact score, under
    /// linear-front and uniform weights. `None` if no cut-off run has [`Continued::MIN_VALID`] outcomes.
    ///
    /// Reference: the paper's appendix H.2, tables 7 to 9.
    pub continuations: Option<ContinuationAudit>,
    /// `accuracy` and `solved`, the share of right answers among answers and among all runs to which the model replied,
    /// and `squared_distance_to_truth` if steps were continued.
    #[serde(serialize_with = "figures::serialize")]
    pub figures: figures::Figures,
}

fn name_of<S: serde::Serializer>(stream: &Predictor, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(stream.name())
}

impl ConfidenceTable {
    /// Adds the conversation of a model about one question to the rows of all streams.
    ///
    /// # Errors
    ///
    /// The errors of [`ConfidenceRecord::forecasts`]; nothing is added then.
    pub fn update(&mut self, model: &str, record: &ConfidenceRecord) -> Result<(), Error> {
        self.update_with(model, record, &FollowUp::default())
    }

    /// Adds a conversation, with the follow-ups to its run after its end. The exact score and the audit cover runs that have
    /// [`Continued::MIN_VALID`] outcomes.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::update`], and [`scoring_rules::Error::Length`] for a further stream without a forecast for each
    /// step.
    pub fn update_with(
        &mut self,
        model: &str,
        record: &ConfidenceRecord,
        follow_up: &FollowUp,
    ) -> Result<(), Error> {
        let FollowUp { success, continued, streams } = follow_up;
        let steps = record.record.run.agent_turns().count();
        for (_, forecasts) in streams {
            let found = forecasts.as_ref().map_or(steps, Vec::len);
            same_length("forecasts", steps, found)?;
        }
        let at_stop = continued.iter().find(|it| it.step == steps);
        let success = success.or_else(|| at_stop.and_then(Continued::success));
        let added = Added { model, record, success, continued };
        for stream in ConfidenceStream::ALL {
            let forecasts = record.forecasts(stream)?;
            let forecasts = forecasts.as_ref().map_err(|(_, reason)| reason.name());
            self.add_stream(&added, Predictor::Recorded(stream), forecasts.cloned());
        }
        if continued.iter().any(|it| it.step == 0) {
            for (name, forecasts) in derived(record, continued) {
                self.add_stream(&added, Predictor::Derived(name.to_owned()), forecasts);
            }
        }
        for (name, forecasts) in streams {
            let forecasts = forecasts.as_ref().map_err(String::as_str);
            self.add_stream(&added, Predictor::Derived(name.clone()), forecasts.cloned());
        }
        Ok(())
    }

    fn add_stream(
        &mut self,
        added: &Added<'_>,
        stream: Predictor,
        forecasts: Result<Vec<Probability>, &str>,
    ) {
        let Added { model, record, success, continued } = *added;
        let (run, question) = (&record.record.run, &record.record.run.id);
        let class = run.stop.as_ref().map(censoring::StopReason::class);
        let group = self.groups.entry((model.to_owned(), stream)).or_default();
        if run.error.is_some() {
            group.without_reply += 1;
            return;
        }
        let answered = [run.outcome.is_some(), run.outcome == Some(true)];
        group.answered.update(question.clone(), Weight::ONE, answered);
        group.without_outcome += usize::from(run.outcome.is_none());
        if run.outcome.is_none() && class != Some(StopClass::Censored) {
            let reason = run.stop.as_ref().map_or("no stop reason".into(), |it| it.to_string());
            *group.excluded.entry(reason).or_default() += 1;
            return;
        }
        let forecasts = match forecasts {
            Ok(forecasts) => forecasts,
            Err(reason) => {
                *group.left_out.entry(reason.to_owned()).or_default() += 1;
                return;
            }
        };
        let after = |step: usize| continued.iter().find(|it| it.step == step);
        for (step, forecast) in (1..).zip(&forecasts) {
            let distance = after(step).and_then(|it| it.squared_distance(*forecast));
            if let Some(distance) = distance {
                group.distances.update(question.clone(), Weight::ONE, distance);
            }
        }
        match run.outcome {
            Some(outcome) => group.rows.update(question.clone(), Weight::ONE, (forecasts, outcome)),
            None => {
                let stated = run.horizon.and_then(|steps| usize::try_from(steps).ok());
                let horizon = stated.map_or(forecasts.len(), |it| it.max(forecasts.len()));
                let continuations = after(forecasts.len()).map(|it| it.counts).unwrap_or_default();
                let reason = run.stop.clone();
                let outcome = CutOff { reason, horizon, success, continuations };
                group.cut_off.update(question.clone(), Weight::ONE, (forecasts, outcome));
            }
        }
    }

    /// Returns the complete runs of a model that have a stream, in the order of their questions; empty if there are none.
    ///
    /// # Errors
    ///
    /// The errors of [`Traces::push`], which no added run has.
    pub fn traces(&self, model: &str, stream: &Predictor) -> Result<Traces, Error> {
        let group = self.groups.get(&(model.to_owned(), stream.clone()));
        group.map_or_else(|| Ok(Traces::default()), Group::traces)
    }

    /// Returns the rows, sorted by model and stream, with intervals at this nominal coverage.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] and [`Error::Censoring`] for more than 10 million resamples.
    pub fn finish(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
    ) -> Result<Vec<ConfidenceFigures>, Error> {
        let rows = self.groups.iter().map(|((model, stream), group)| {
            let (with_cut_off, continuations) = group.with_cut_off(level, resamples, seed)?;
            Ok(ConfidenceFigures {
                model: model.clone(),
                stream: stream.clone(),
                runs: group.len(),
                without_outcome: group.without_outcome,
                without_reply: group.without_reply,
                left_out: group.left_out.clone(),
                excluded: group.excluded.clone(),
                cut_off: group.cut_off.len(),
                evaluation: group.evaluation(level, resamples, seed)?,
                with_cut_off,
                continuations,
                figures: group.figures(Intervals { level, resamples, seed })?,
            })
        });
        rows.collect()
    }
}

impl Group {
    fn len(&self) -> usize {
        let counted: u64 = self.left_out.values().chain(self.excluded.values()).sum();
        let counted = usize::try_from(counted).unwrap_or(usize::MAX);
        self.rows.len() + self.cut_off.len() + self.without_reply + counted
    }

    fn with_cut_off(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
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
        let mut success = vec![Probability::HALF; self.rows.len()];
        let mut continuations = vec![Continuations::default(); self.rows.len()];
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
            analysis.with_resamples(resamples).with_seed(seed).with_level(level)
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

    fn figures(&self, how: Intervals) -> Result<figures::Figures, Error> {
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

    fn traces(&self) -> Result<Traces, Error> {
        let mut traces = Traces::default();
        for (_, _, (forecasts, outcome)) in self.rows.rows() {
            traces.push(forecasts, *outcome)?;
        }
        Ok(traces)
    }

    fn evaluation(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
    ) -> Result<Option<Evaluation>, Error> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let questions: Vec<_> = self.rows.rows().map(|(question, ..)| question).collect();
        let several = questions.windows(2).any(|pair| pair[0] != pair[1]);
        let bootstrap = match several && resamples > 0 {
            true => Some(Bootstrap::clusters(&questions, seed)?),
            false => None,
        };
        let resampling =
            bootstrap.as_ref().map(|bootstrap| Resampling { bootstrap, resamples, level });
        let options = EvaluationOptions {
            exclusions: self.left_out.clone(),
            resampling,
            ..EvaluationOptions::default()
        };
        let mut evaluation = Evaluation::new(&self.traces()?, &options)?;
        if !several && resamples > 0 {
            evaluation.notes.push(format!("no intervals: {}", NoInterval::too_few(1, level)));
        }
        Ok(Some(evaluation))
    }
}
