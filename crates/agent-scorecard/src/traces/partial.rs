//! Scores of runs that succeeded in part. The score of such a run is the expected score of a run that succeeds with a
//! probability equal to the grade.

use trajectory_metrics::{
    ExactMean, Measure, Probability, STREAM_MEASURES, ScoredStream, StreamFigure, Summary, Traces,
    WeightSchedule,
};

use crate::{
    confidence::{Verdicts, verdicts},
    error::Error,
    options::LEVEL,
    traces::{
        settings::TraceOptions,
        units::{Names, Resampled},
    },
};

/// The reason why measures of ranking and calibration are undefined.
pub(super) const REASON: &str =
    "some runs succeeded in part; --success-at sets the lowest score that counts as a success";

/// The partial successes of a column: an accumulator.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartialRuns {
    names: Names,
    grades: Vec<f64>,
    /// The forecasts of each run twice, as a success and as a failure.
    stream: ScoredStream,
}

impl PartialRuns {
    pub(crate) fn push(
        &mut self,
        (id, task): (&str, Option<&str>),
        forecasts: &[Probability],
        grade: Probability,
        (schedule, summary): (&WeightSchedule, &Summary),
    ) -> Result<(), Error> {
        let mut both = Traces::default();
        both.push(forecasts, true)?;
        both.push(forecasts, false)?;
        self.stream.append(&ScoredStream::new(&both, schedule, summary)?);
        self.names.push(id, task);
        self.grades.push(grade.get());
        Ok(())
    }

    pub(crate) fn append(&mut self, other: &Self) {
        self.names.append(&other.names);
        self.grades.extend_from_slice(&other.grades);
        self.stream.append(&other.stream);
    }

    pub(crate) fn len(&self) -> usize {
        self.grades.len()
    }

    /// Returns the figures of these runs together with those that succeeded or failed: the mean grade, the figures of
    /// [`VERDICTS`](crate::confidence::VERDICTS), those of [`STREAM_MEASURES`], and notes.
    pub(super) fn figures(
        &self,
        complete: &Names,
        stream: &ScoredStream,
        options: &TraceOptions,
    ) -> Result<(f64, Verdicts, Vec<StreamFigure>, Vec<String>), Error> {
        let expected = |whole: &[f64], both: &[f64]| {
            let parts = both.chunks_exact(2).zip(&self.grades);
            let parts = parts.map(|(both, grade)| grade * both[0] + (1.0 - grade) * both[1]);
            whole.iter().copied().chain(parts).collect::<Vec<f64>>()
        };
        let (whole, both) = (stream.scores(), self.stream.scores());
        let scores = [
            expected(&whole.log, &both.log),
            expected(&whole.brier, &both.brier),
            expected(&whole.beta_2_4, &both.beta_2_4),
        ];
        let outcomes = stream.outcomes().iter().map(|outcome| f64::from(*outcome));
        let grades: Vec<f64> = outcomes.chain(self.grades.iter().copied()).collect();
        let stated = stream.confidence().iter().chain(self.stream.confidence().iter().step_by(2));
        let stated: Vec<f64> = stated.map(|stated| stated.get()).collect();
        let names = complete.iter().chain(self.names.iter()).collect();
        let level = LEVEL;
        let resampled = Resampled::new(names, options.cluster_by, options.seed)?;
        let bootstrap = resampled.bootstrap.as_ref().ok().filter(|_| options.resamples > 0);
        let of_run = |run| scores.each_ref().map(|scores: &Vec<f64>| Some(scores[run]));
        let by_run: Vec<_> = (0..grades.len()).map(of_run).collect();
        let mut drawn = bootstrap
            .map(|bootstrap| bootstrap.means(&by_run, options.resamples))
            .into_iter()
            .flatten();
        let mean = |scores: &Vec<f64>| Ok(ExactMean::of(scores.iter().copied(), None)?);
        let values = scores.each_ref().map(mean);
        let of_scores = STREAM_MEASURES.into_iter().zip(values);
        let of_scores =
            of_scores.map(|(of, value)| StreamFigure::new(of, value, drawn.next(), level));
        let others = STREAM_MEASURES.into_iter().skip(scores.len()).map(undefined);
        let estimates = of_scores.chain(others).collect();
        let own: Vec<u32> = (0..grades.len() as u32).collect();
        let clusters = bootstrap.map_or(&own[..], |it| it.cluster_of());
        let with_level = bootstrap.map(|_| level);
        let verdicts = verdicts(&stated, &grades, clusters, with_level);
        let base_rate = ExactMean::of(grades.iter().copied(), None)?;
        Ok((base_rate, verdicts, estimates, resampled.notes))
    }
}

/// Returns a measure of ranking or calibration, which is undefined here.
pub(super) fn undefined(measure: Measure) -> StreamFigure {
    let error = scoring_rules::checks::undefined("it", REASON);
    StreamFigure::new(measure, Err(error.into()), None, LEVEL)
}
