use censoring::{StopReason, Stopped};
use scoring_rules::Probability;
use serde::Serialize;

use crate::json_lines::parsing::InputError;

/// Reasons for a stop that are looked up, so that a file with many different ones is read as fast.
const MOST_SHARED: usize = 64;

/// One run: the probabilities of success reported during the run, and its outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TraceRun {
    /// The name of the run. Cross-fitting splits the runs into halves in the order of their names.
    pub id: String,
    /// The name of the task, which several runs may share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The probability of success that was reported after each step, at least one.
    pub forecasts: Vec<Probability>,
    /// Whether the run succeeded; `None` if that is not known.
    pub outcome: Option<bool>,
    /// The grade of the run, if it succeeded in part and therefore has no outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<Probability>,
    /// The reason for the end of the run, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// The number of steps over which a cut-off run would have been scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizon: Option<usize>,
    /// The probability that a cut-off run would have succeeded, if it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_chance: Option<Probability>,
    /// The line of the file that the run was read from, from 1.
    #[serde(skip)]
    pub line: Option<usize>,
}

impl TraceRun {
    /// Converts the run to the type of the crate `censoring`. A run that succeeded in part has no outcome there, and is
    /// excluded.
    ///
    /// # Errors
    ///
    /// The errors of [`Stopped::new`] and [`Stopped::with_horizon`]: no forecast, an outcome that contradicts the reason for the
    /// stop, or a horizon shorter than the run.
    pub fn stopped(&self) -> Result<Stopped<'_>, censoring::Error> {
        stopped(&self.forecasts, self.outcome, self.grade, self.stop.clone(), self.horizon)
    }

    /// Returns an error about a field of the run, which was read from `file`.
    #[must_use]
    pub fn error(&self, file: &str, field: &str, problem: impl Into<String>) -> InputError {
        let field = Some(field.to_owned());
        InputError { line: self.line, field, ..InputError::of_file(file, problem) }
    }

    /// Checks the fields together.
    pub(crate) fn check(&self, file: &str) -> Result<(), InputError> {
        use trajectory_metrics::Error::{EmptyTrace, Horizon, HorizonTooLong};

        let Err(error) = self.stopped() else { return Ok(()) };
        Err(match &error {
            censoring::Error::TrajectoryMetrics(EmptyTrace { .. }) => {
                self.error(file, "forecasts", "empty; give at least one forecast")
            }
            censoring::Error::TrajectoryMetrics(Horizon { .. } | HorizonTooLong { .. }) => {
                self.error(file, "horizon", error.to_string())
            }
            _ => self.error(file, "outcome", error.to_string()),
        })
    }
}

/// Converts the facts of a run for the crate censoring.
fn stopped(
    forecasts: &[Probability],
    outcome: Option<bool>,
    grade: Option<Probability>,
    stop: Option<StopReason>,
    horizon: Option<usize>,
) -> Result<Stopped<'_>, censoring::Error> {
    let stop = match grade {
        Some(_) => Some(StopReason::Other("partial_success".to_owned())),
        None => stop,
    };
    let run = Stopped::new(forecasts, outcome, stop)?;
    match horizon {
        Some(horizon) => run.with_horizon(horizon),
        None => Ok(run),
    }
}

/// Many runs, stored in a few flat lists. A run with one forecast takes 40 bytes and the bytes of its names.
///
/// ```
/// use run_logs::{TraceRun, TraceRuns};
///
/// let run = TraceRun { id: "a".to_owned(), outcome: Some(true), ..TraceRun::default() };
/// let runs: TraceRuns = [run.clone()].into_iter().collect();
/// assert_eq!((runs.len(), runs.id(0), runs.run(0)), (1, "a", run));
/// ```
#[derive(Clone, Debug, Default)]
pub struct TraceRuns {
    rows: Vec<Row>,
    /// The id of each run, and its task behind it.
    names: String,
    forecasts: Vec<Probability>,
    /// Reasons for a stop, each once if they are few.
    stops: Vec<StopReason>,
    /// One for each run, up to the last that has such data.
    rare: Vec<Rare>,
}

/// The ends of the data of a run, and its short fields.
#[derive(Clone, Copy, Debug)]
struct Row {
    names_end: usize,
    forecasts_end: usize,
    task_length: u32,
    /// 0 without a line.
    line: u32,
    /// The position of the reason from 1; 0 without one.
    stop: u32,
    has_task: bool,
    outcome: Option<bool>,
}

/// The data that runs have in only a few files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Rare {
    grade: Option<Probability>,
    horizon: Option<usize>,
    success_chance: Option<Probability>,
}

impl TraceRuns {
    /// Adds a run.
    pub fn push(&mut self, run: TraceRun) {
        let TraceRun { id, task, forecasts, outcome, grade, stop, horizon, success_chance, line } =
            run;
        let rare = Rare { grade, horizon, success_chance };
        if rare != Rare::default() {
            self.rare.resize(self.rows.len(), Rare::default());
            self.rare.push(rare);
        }
        let stop = stop.map_or(0, |stop| self.number(stop));
        let (has_task, task) = (task.is_some(), task.unwrap_or_default());
        self.names.push_str(&id);
        self.names.push_str(&task);
        self.forecasts.extend(forecasts);
        self.rows.push(Row {
            names_end: self.names.len(),
            forecasts_end: self.forecasts.len(),
            task_length: task.len() as u32,
            // A line beyond the range is no line instead of a wrong one.
            line: line.and_then(|line| line.try_into().ok()).unwrap_or_default(),
            stop,
            has_task,
            outcome,
        });
    }

    /// Returns the number of a reason, which is its position from 1.
    fn number(&mut self, stop: StopReason) -> u32 {
        let known = self.stops.iter().take(MOST_SHARED).position(|known| *known == stop);
        let position = known.unwrap_or_else(|| {
            self.stops.push(stop);
            self.stops.len() - 1
        });
        position as u32 + 1
    }

    /// Adds the runs of another list.
    pub fn append(&mut self, others: Self) {
        let (names, forecasts) = (self.names.len(), self.forecasts.len());
        let mut numbers = vec![0];
        numbers.extend(others.stops.into_iter().map(|stop| self.number(stop)));
        if !others.rare.is_empty() {
            self.rare.resize(self.rows.len(), Rare::default());
            self.rare.extend(others.rare);
        }
        self.names.push_str(&others.names);
        self.forecasts.extend(others.forecasts);
        self.rows.extend(others.rows.into_iter().map(|row| Row {
            names_end: names + row.names_end,
            forecasts_end: forecasts + row.forecasts_end,
            stop: numbers[row.stop as usize],
            ..row
        }));
    }

    /// Returns the number of runs.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is no run.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the end of the data of the run before, and the row of this run.
    fn row(&self, run: usize) -> ([usize; 2], &Row) {
        let before = run.checked_sub(1).map(|before| &self.rows[before]);
        (before.map_or([0; 2], |row| [row.names_end, row.forecasts_end]), &self.rows[run])
    }

    /// Returns the id of the run at this position, and its task if it names one.
    #[must_use]
    pub fn names(&self, run: usize) -> (&str, Option<&str>) {
        let ([start, _], row) = self.row(run);
        let names = &self.names[start..row.names_end];
        let (id, task) = names.split_at(names.len() - row.task_length as usize);
        (id, row.has_task.then_some(task))
    }

    /// Returns the id of the run at this position.
    #[must_use]
    pub fn id(&self, run: usize) -> &str {
        self.names(run).0
    }

    /// Returns the forecasts of the run at this position.
    #[must_use]
    pub fn forecasts(&self, run: usize) -> &[Probability] {
        let ([_, start], row) = self.row(run);
        &self.forecasts[start..row.forecasts_end]
    }

    /// Converts the run at this position to the type of the crate `censoring`, as [`TraceRun::stopped`] does.
    ///
    /// # Errors
    ///
    /// The errors of [`TraceRun::stopped`].
    pub fn stopped(&self, run: usize) -> Result<Stopped<'_>, censoring::Error> {
        let TraceRun { outcome, grade, stop, horizon, .. } = self.without_lists(run);
        stopped(self.forecasts(run), outcome, grade, stop, horizon)
    }

    /// Returns the run at this position.
    #[must_use]
    pub fn run(&self, run: usize) -> TraceRun {
        let (id, task) = self.names(run);
        TraceRun {
            id: id.to_owned(),
            task: task.map(str::to_owned),
            forecasts: self.forecasts(run).to_vec(),
            ..self.without_lists(run)
        }
    }

    /// Returns all runs.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = TraceRun> {
        (0..self.len()).map(|run| self.run(run))
    }

    /// Returns the data of a run that are neither names nor forecasts.
    pub(crate) fn without_lists(&self, run: usize) -> TraceRun {
        let row = &self.rows[run];
        let Rare { grade, horizon, success_chance } =
            self.rare.get(run).copied().unwrap_or_default();
        let stop = (row.stop as usize).checked_sub(1).map(|stop| self.stops[stop].clone());
        let line = (row.line > 0).then_some(row.line as usize);
        let (outcome, rest) = (row.outcome, TraceRun::default());
        TraceRun { outcome, grade, stop, horizon, success_chance, line, ..rest }
    }
}

impl Extend<TraceRun> for TraceRuns {
    fn extend<I: IntoIterator<Item = TraceRun>>(&mut self, runs: I) {
        runs.into_iter().for_each(|run| self.push(run));
    }
}

impl FromIterator<TraceRun> for TraceRuns {
    fn from_iter<I: IntoIterator<Item = TraceRun>>(runs: I) -> Self {
        let mut all = Self::default();
        all.extend(runs);
        all
    }
}
