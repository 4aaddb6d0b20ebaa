use std::collections::BTreeMap;

use run_logs::ConfidenceStream;
use scoring_rules::{Level, Probability, Seed, Weight};
use trajectory_metrics::{
    Bootstrap, Evaluation, EvaluationOptions, NoInterval, Resampling, Traces, evaluate,
};

use crate::{confidence::outcome::ConfidenceRecord, error::Error};

/// The figures of stated confidence for any number of models, one row per stream.
///
/// ```
/// use agent_benchmarks::{Seed, Checker, Level, Question, Reply, converse, model_from_fn};
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
    groups: BTreeMap<(String, ConfidenceStream), Group>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    rows: Vec<Row>,
    left_out: BTreeMap<String, u64>,
    without_outcome: usize,
    without_reply: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    question: String,
    weight: Weight,
    forecasts: Vec<Probability>,
    outcome: bool,
}

/// A row of a [`ConfidenceTable`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ConfidenceFigures {
    /// The model.
    pub model: String,
    /// The stream.
    pub stream: ConfidenceStream,
    /// The number of runs without an answer; `censoring` takes them from their records.
    pub without_outcome: usize,
    /// The number of runs that ended because the model gave no reply.
    pub without_reply: usize,
    /// Scores and diagnostics with intervals that resample questions; the runs that lack the stream
    /// are its exclusions, by the name of the reason. `None` without a run.
    pub evaluation: Option<Evaluation>,
}

impl ConfidenceTable {
    /// Adds the conversation of a model about one question to the rows of all streams.
    ///
    /// # Errors
    ///
    /// Those of [`ConfidenceRecord::forecasts`]; nothing is added then.
    pub fn update(&mut self, model: &str, record: &ConfidenceRecord) -> Result<(), Error> {
        self.update_weighted(model, record, Weight::ONE)
    }

    /// Adds a conversation that counts `weight` times.
    ///
    /// # Errors
    ///
    /// As [`Self::update`].
    pub fn update_weighted(
        &mut self,
        model: &str,
        record: &ConfidenceRecord,
        weight: Weight,
    ) -> Result<(), Error> {
        let run = &record.record.run;
        for stream in ConfidenceStream::ALL {
            let forecasts = record.forecasts(stream)?;
            let group = self.groups.entry((model.to_owned(), stream)).or_default();
            match (run.error.is_some(), run.outcome, forecasts) {
                (true, _, _) => group.without_reply += 1,
                (false, None, _) => group.without_outcome += 1,
                (false, Some(_), Err((_, reason))) => {
                    *group.left_out.entry(reason.name().to_owned()).or_default() += 1;
                }
                (false, Some(outcome), Ok(forecasts)) => {
                    group.rows.push(Row { question: run.id.clone(), weight, forecasts, outcome });
                }
            }
        }
        Ok(())
    }

    /// Adds all conversations of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, group) in &other.groups {
            let own = self.groups.entry(key.clone()).or_default();
            own.rows.extend_from_slice(&group.rows);
            own.without_outcome += group.without_outcome;
            own.without_reply += group.without_reply;
            for (reason, count) in &group.left_out {
                *own.left_out.entry(reason.clone()).or_default() += count;
            }
        }
    }

    /// The rows, sorted by model and stream, with intervals that cover at this level.
    ///
    /// # Errors
    ///
    /// [`Error::TrajectoryMetrics`] for more than 10 million resamples and for weights of which none
    /// is positive.
    pub fn finish(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
    ) -> Result<Vec<ConfidenceFigures>, Error> {
        let rows = self.groups.iter().map(|((model, stream), group)| {
            Ok(ConfidenceFigures {
                model: model.clone(),
                stream: *stream,
                without_outcome: group.without_outcome,
                without_reply: group.without_reply,
                evaluation: group.evaluation(level, resamples, seed)?,
            })
        });
        rows.collect()
    }
}

impl Group {
    fn evaluation(
        &self,
        level: Level,
        resamples: usize,
        seed: Seed,
    ) -> Result<Option<Evaluation>, Error> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let mut traces = Traces::default();
        for row in &self.rows {
            traces.push(&row.forecasts, row.outcome)?;
        }
        let weights: Vec<Weight> = self.rows.iter().map(|row| row.weight).collect();
        let questions: Vec<&str> = self.rows.iter().map(|row| row.question.as_str()).collect();
        let several = questions.windows(2).any(|pair| pair[0] != pair[1]);
        let bootstrap = match several && resamples > 0 {
            true => Some(Bootstrap::clusters(&questions, seed)?),
            false => None,
        };
        let resampling =
            bootstrap.as_ref().map(|bootstrap| Resampling { bootstrap, resamples, level });
        let options = EvaluationOptions {
            weights: Some(&weights),
            exclusions: self.left_out.clone(),
            resampling,
            ..EvaluationOptions::default()
        };
        let mut evaluation = evaluate(&traces, &options)?;
        if !several && resamples > 0 {
            let few = NoInterval::check_clusters(1, level).err();
            evaluation.notes.extend(few.map(|few| format!("no intervals: {few}")));
        }
        Ok(Some(evaluation))
    }
}
