use std::sync::OnceLock;

use censoring::StopReason;
use run_logs::{StepUse, Ungraded};

use crate::texts::Texts;

/// The data of one run that a comparison uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideRun {
    /// The task, or the run's own name if it has none. Runs of one task are not independent.
    pub task: String,
    /// The grade of the run, from 0 (failure) to 1 (success). NaN is no grade.
    pub grade: Option<f64>,
    /// The reason why the run has no grade; if it is missing, [`Ungraded::NoScore`] is assumed.
    pub ungraded: Option<Ungraded>,
    /// Whether the log states that the run was planned, but not its task; `task` is then a unique name.
    pub is_unnamed: bool,
    /// Whether a limit ended the run.
    pub is_at_limit: bool,
    /// Whether `--at-limit` has no effect, because the grade comes from outside the log or the log excludes the run.
    pub is_settled: bool,
    /// The reason why the run ended; few tables state it.
    pub ending: Option<Box<StopReason>>,
    /// The last probability of success that the run stated.
    pub confidence: Option<f64>,
    /// The turns, tokens, cost and time of the run; `None` for runs of tables, which do not state them.
    pub used: Option<Box<Used>>,
    /// The steps of the run by kind: model calls, and the calls of each tool.
    pub steps: Box<[StepUse]>,
}

/// The turns, tokens, cost and time of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// The number of turns.
    pub turns: Option<u64>,
    /// The number of tokens read and written.
    pub tokens: Option<u64>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
    /// The wall time in seconds.
    pub seconds: Option<f64>,
    /// The time of model calls in seconds.
    pub model_seconds: Option<f64>,
    /// The time of tools in seconds.
    pub tool_seconds: Option<f64>,
}

/// The runs of an agent, stored in a few flat lists. A run read from a table takes 32 bytes plus the name of its task.
#[derive(Clone, Debug, Default)]
pub struct SideRuns {
    tasks: Texts,
    facts: Vec<Facts>,
    /// The data that runs of tables rarely have: one for each run, up to the last that has some.
    rest: Vec<Option<Box<Rest>>>,
    ranks: OnceLock<Vec<u32>>,
}

/// The short fields of a run. NaN stands for a number that is not known.
#[derive(Clone, Copy, Debug)]
struct Facts {
    grade: f64,
    confidence: f64,
    ungraded: Option<Ungraded>,
    is_unnamed: bool,
    is_at_limit: bool,
    is_settled: bool,
}

#[derive(Clone, Debug)]
struct Rest {
    ending: Option<Box<StopReason>>,
    used: Option<Box<Used>>,
    steps: Box<[StepUse]>,
}

/// A run of [`SideRuns`], with the fields of [`SideRun`].
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Run<'a> {
    pub(super) task: &'a str,
    pub(super) grade: Option<f64>,
    pub(super) ungraded: Option<Ungraded>,
    pub(super) is_unnamed: bool,
    pub(super) is_at_limit: bool,
    pub(super) is_settled: bool,
    pub(super) ending: Option<&'a StopReason>,
    pub(super) confidence: Option<f64>,
    pub(super) used: Option<&'a Used>,
    pub(super) steps: &'a [StepUse],
}

impl Run<'_> {
    /// Returns whether `--at-limit failed` makes it a failure.
    pub(super) const fn fails_at_limit(&self) -> bool {
        self.is_at_limit && !self.is_settled
    }
}

impl SideRuns {
    pub(super) fn push(&mut self, run: SideRun) {
        let SideRun { task, grade, ungraded, is_unnamed, is_at_limit, is_settled, .. } = run;
        let SideRun { ending, confidence, used, steps, .. } = run;
        self.tasks.push(&task);
        if ending.is_some() || used.is_some() || !steps.is_empty() {
            self.rest.resize_with(self.facts.len(), || None);
            self.rest.push(Some(Box::new(Rest { ending, used, steps })));
        }
        let [grade, confidence] = [grade, confidence].map(|known| known.unwrap_or(f64::NAN));
        // Only a run with a reason is in the counts of runs without a grade.
        let ungraded = ungraded.or(grade.is_nan().then_some(Ungraded::NoScore));
        let facts = Facts { grade, confidence, ungraded, is_unnamed, is_at_limit, is_settled };
        self.facts.push(facts);
        self.ranks.take();
    }

    /// Adds the runs of another list.
    pub(super) fn append(&mut self, other: Self) {
        if !other.rest.is_empty() {
            self.rest.resize_with(self.facts.len(), || None);
            self.rest.extend(other.rest);
        }
        self.tasks.append(&other.tasks);
        self.facts.extend(other.facts);
        self.ranks.take();
    }

    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Run<'_>> {
        let known = |number: f64| (!number.is_nan()).then_some(number);
        let runs = self.tasks.iter().zip(&self.facts).enumerate();
        runs.map(move |(at, (task, facts))| {
            let &Facts { grade, confidence, ungraded, is_unnamed, is_at_limit, is_settled } = facts;
            let rest = self.rest.get(at).and_then(Option::as_ref);
            Run {
                task,
                grade: known(grade),
                ungraded,
                is_unnamed,
                is_at_limit,
                is_settled,
                ending: rest.and_then(|rest| rest.ending.as_deref()),
                confidence: known(confidence),
                used: rest.and_then(|rest| rest.used.as_deref()),
                steps: rest.map_or(&[], |rest| &rest.steps),
            }
        })
    }

    /// Returns the position of each run's task in the order of the names of all tasks.
    pub(super) fn ranks(&self) -> &[u32] {
        self.ranks.get_or_init(|| {
            let names: Vec<&str> = self.tasks.iter().collect();
            let mut order: Vec<u32> = (0..names.len() as u32).collect();
            order.sort_unstable_by_key(|&at| names[at as usize]);
            let mut ranks = vec![0; names.len()];
            let of_tasks = order.chunk_by(|&a, &b| names[a as usize] == names[b as usize]);
            for (rank, runs) in (0..).zip(of_tasks) {
                runs.iter().for_each(|&run| ranks[run as usize] = rank);
            }
            ranks
        })
    }

    /// Counts the runs without a grade as failures.
    pub(super) fn fail_ungraded(&mut self) {
        for run in &mut self.facts {
            run.grade = if run.grade.is_nan() { 0.0 } else { run.grade };
            run.ungraded = None;
        }
    }

    /// Drops the usage of runs without a grade. If no run has a grade, only runs that an error ended are such runs: a crash
    /// is no run of 0 tokens.
    pub(super) fn drop_use_of_ungraded(&mut self) {
        let has_grades = self.facts.iter().any(|run| !run.grade.is_nan());
        for (rest, run) in self.rest.iter_mut().zip(&self.facts) {
            let counts = match has_grades {
                true => !run.grade.is_nan(),
                false => run.ungraded != Some(Ungraded::Error),
            };
            if let (false, Some(rest)) = (counts, rest) {
                rest.used = None;
            }
        }
    }
}

impl PartialEq for SideRuns {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Extend<SideRun> for SideRuns {
    fn extend<I: IntoIterator<Item = SideRun>>(&mut self, runs: I) {
        runs.into_iter().for_each(|run| self.push(run));
    }
}

impl FromIterator<SideRun> for SideRuns {
    fn from_iter<I: IntoIterator<Item = SideRun>>(runs: I) -> Self {
        let mut all = Self::default();
        all.extend(runs);
        all
    }
}

impl From<SideRuns> for Vec<SideRun> {
    fn from(runs: SideRuns) -> Self {
        let run = |run: Run<'_>| SideRun {
            task: run.task.to_owned(),
            grade: run.grade,
            ungraded: run.ungraded,
            is_unnamed: run.is_unnamed,
            is_at_limit: run.is_at_limit,
            is_settled: run.is_settled,
            ending: run.ending.cloned().map(Box::new),
            confidence: run.confidence,
            used: run.used.copied().map(Box::new),
            steps: run.steps.into(),
        };
        runs.iter().map(run).collect()
    }
}
