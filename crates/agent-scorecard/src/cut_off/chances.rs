//! The sources of the probability of success after each stop: given values, counts of continuations, or a model of
//! unscored data. Scored forecasts are never used, because an exact score at such a probability would confirm the
//! forecast whether it is right or wrong.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use censoring::{Continuations, Probability, hybrid_success_probabilities};
use run_logs::TraceFile;
use trajectory_metrics::Undefined;

use crate::{
    cut_off::{
        model::{ModelFacts, Teaching},
        sample::Sample,
        settings::CutOffOptions,
    },
    error::Error,
    report::block::{Block, Field},
};

/// The maximum difference at which a forecast of an unscored stream counts as equal to a scored forecast.
const SAME: f64 = 1e-3;

/// The probability of success of each run, and the source of these probabilities.
#[derive(Clone)]
pub(super) struct Chances {
    /// One probability per run (without meaning for complete runs), or the reason why some run has none.
    pub(super) of_runs: Result<Arc<[Probability]>, Undefined>,
    /// The source of the probabilities; `None` if no run was cut off.
    pub(super) origin: Option<Origin>,
}

/// The numbers of cut-off runs by the source of their probability of success.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) n_given: usize,
    n_continuations: usize,
    n_model: usize,
    n_unknown: usize,
    model: Option<ModelFacts>,
}

/// The name, outcome, steps and horizon that identify a run.
type Identity<'a> = (&'a str, Option<bool>, usize, usize);

/// Probabilities of success by the name, outcome and steps of a run.
type Given<'a> = BTreeMap<(&'a str, Option<bool>, usize), Probability>;

fn key((id, outcome, steps, _horizon): Identity<'_>) -> (&str, Option<bool>, usize) {
    (id, outcome, steps)
}

/// Returns each column's probabilities of success, one per run. Columns with the same runs have the same probabilities.
///
/// # Errors
///
/// [`Error::Data`] for a run with two probabilities, in whichever columns; [`Error::Options`] for an id that names
/// different runs, and for an unscored stream that lacks runs or repeats scored forecasts.
pub(super) fn chances(
    samples: &[Sample<'_>],
    is_one_set: bool,
    options: &CutOffOptions,
) -> Result<Vec<Chances>, Error> {
    check_ids(&["--success-chance"], &options.given, samples)?;
    if let Some(continuations) = &options.continuations {
        check_ids(&["--continuations"], continuations, samples)?;
    }
    let given = given(samples, options)?;
    match samples {
        [] => Ok(Vec::new()),
        _ if is_one_set => Ok(vec![of_same_runs(samples, &given, options)?; samples.len()]),
        _ => samples.chunks(1).map(|one| of_same_runs(one, &given, options)).collect(),
    }
}

/// Checks that each id for which a value is given names one run, the same in every column.
fn check_ids<T>(
    options: &'static [&'static str],
    values: &BTreeMap<String, T>,
    samples: &[Sample<'_>],
) -> Result<(), Error> {
    let mut seen = BTreeMap::new();
    for sample in samples {
        for identity in (0..sample.len())
            .map(|run| sample.identity(run))
            .filter(|identity| values.contains_key(identity.0))
        {
            let (first, known) = *seen.entry(identity.0).or_insert((sample.file, identity));
            if identity != known {
                let (id, second) = (identity.0, sample.file);
                let problem = format!(
                    "{id:?} names different runs in {first} and {second}; score these files in separate calls"
                );
                return Err(Error::Options { options, problem });
            }
        }
    }
    Ok(())
}

/// Returns the given probability of each run that was cut off: by its id, or by any column that has the run. A file cannot
/// set a separate probability with a different horizon, because the horizon is not a fact about the run.
fn given<'a>(samples: &[Sample<'a>], options: &CutOffOptions) -> Result<Given<'a>, Error> {
    let mut found: BTreeMap<_, (Probability, String)> = BTreeMap::new();
    for sample in samples {
        for run in sample.cut_off() {
            let of_run = sample.run(run);
            let by_id = options.given.get(&of_run.id);
            let by_id = by_id.map(|&chance| (chance, "--success-chance".to_owned()));
            let place = || {
                let line = of_run.line.map(|line| format!(":{line}"));
                format!("{}{}", sample.file, line.unwrap_or_default())
            };
            let own = of_run.success_chance.map(|chance| (chance, place()));
            for (chance, place) in by_id.into_iter().chain(own) {
                match found.entry(key(sample.identity(run))) {
                    Entry::Vacant(entry) => _ = entry.insert((chance, place)),
                    Entry::Occupied(entry) if entry.get().0 == chance => {}
                    Entry::Occupied(entry) => {
                        let ((first, at), run) = (entry.remove(), of_run.id);
                        return Err(Error::Data(format!(
                            "{place}: field success_chance: {chance} for the run {run:?}, but {earlier} in {at}; give one chance per run",
                            chance = chance.get(),
                            earlier = first.get(),
                        )));
                    }
                }
            }
        }
    }
    Ok(found.into_iter().map(|(run, (chance, _))| (run, chance)).collect())
}

/// Returns the probabilities of the runs of columns with the same runs, but different forecasts.
fn of_same_runs(
    samples: &[Sample<'_>],
    given: &Given<'_>,
    options: &CutOffOptions,
) -> Result<Chances, Error> {
    let sample = &samples[0];
    let cut_off: Vec<usize> = sample.cut_off().collect();
    let teachers = options.teachers.iter().map(|teacher| forecasts_of(teacher, samples, &cut_off));
    let teachers: Vec<_> = teachers.collect::<Result<_, _>>()?;
    let halves = vec![Probability::HALF; sample.len()];
    if cut_off.is_empty() {
        // No run needs a probability of success.
        return Ok(Chances { of_runs: Ok(halves.into()), origin: None });
    }
    let branches =
        sample.branches(options).unwrap_or_else(|| vec![Continuations::default(); sample.len()]);
    let given = |run: usize| given.get(&key(sample.identity(run))).copied();
    let (continued, others): (Vec<usize>, _) =
        cut_off.iter().partition(|&&run| branches[run].valid() >= options.min_valid);
    let rest: Vec<usize> = others.into_iter().filter(|&run| given(run).is_none()).collect();
    let n_given = cut_off.iter().filter(|&&run| given(run).is_some()).count();
    let n_continuations = cut_off.len() - n_given - rest.len();
    let (n_model, n_unknown) = (rest.len(), 0);
    let mut origin = Origin { n_given, n_continuations, n_model, n_unknown, model: None };
    let modelled = if rest.is_empty() {
        halves
    } else {
        let teaching = Teaching {
            samples,
            teachers: options.teachers.iter().map(|it| &*it.file).zip(teachers).collect(),
            branches: &branches,
            continued: &continued,
        };
        match teaching.model(&rest, options) {
            Ok((chances, facts)) => {
                origin.model = Some(facts);
                chances
            }
            Err(why) => {
                (origin.n_model, origin.n_unknown) = (0, rest.len());
                return Ok(Chances { of_runs: Err(why), origin: Some(origin) });
            }
        }
    };
    let mut chances = hybrid_success_probabilities(&branches, &modelled, options.min_valid)?;
    for run in cut_off {
        chances[run] = given(run).unwrap_or(chances[run]);
    }
    Ok(Chances { of_runs: Ok(chances.into()), origin: Some(origin) })
}

/// Returns the forecasts of an unscored stream, one list per run.
fn forecasts_of<'t>(
    teacher: &'t TraceFile,
    samples: &[Sample<'_>],
    cut_off: &[usize],
) -> Result<Vec<&'t [Probability]>, Error> {
    let (sample, file) = (&samples[0], &teacher.file);
    let refuse = |problem| Err(Error::Options { options: &["--chance-from"], problem });
    let own =
        (0..teacher.runs.len()).map(|run| (teacher.runs.id(run), teacher.runs.forecasts(run)));
    let by_id: BTreeMap<&str, &[Probability]> = own.collect();
    let mut forecasts = Vec::with_capacity(sample.len());
    for (run, id) in sample.ids().into_iter().enumerate() {
        let steps = sample.steps(run);
        match by_id.get(id).copied() {
            None => {
                return refuse(format!(
                    "{file} has no run {id:?}, which is in {scored}",
                    scored = sample.file,
                ));
            }
            Some(of_run) if of_run.len() == steps => forecasts.push(of_run),
            Some(of_run) => {
                let found = of_run.len();
                return refuse(format!(
                    "{file} has {found} forecasts of the run {id:?}, but {scored} has {steps}",
                    scored = sample.file,
                ));
            }
        }
    }
    for scored in samples {
        let is_same = |&&run: &&usize| {
            let last = [forecasts[run], scored.stopped[run].forecasts()].map(<[_]>::last);
            matches!(last, [Some(a), Some(b)] if (a.get() - b.get()).abs() <= SAME)
        };
        let same = cut_off.iter().filter(is_same).count();
        if same > 0 && 10 * same >= 9 * cut_off.len() {
            return refuse(format!(
                "{file} has the forecasts of {scored} on runs that were cut off; a stream that is scored must not supply its own chances of success: give a stream that is not scored",
                scored = scored.file,
            ));
        }
    }
    Ok(forecasts)
}

impl Origin {
    /// Returns `given`, `continuations` or `model`; `hybrid` for more than one of these; `undefined` if some run has no
    /// probability of success.
    const fn source(&self) -> &'static str {
        match (self.n_given, self.n_continuations, self.n_model) {
            _ if self.n_unknown > 0 => "undefined",
            (_, 0, 0) => "given",
            (0, _, 0) => "continuations",
            (0, 0, _) => "model",
            _ => "hybrid",
        }
    }

    /// Returns the use of each source, and the assumptions for its probabilities to be correct.
    fn parts(&self) -> (Vec<String>, Vec<String>) {
        let Self { n_given, n_continuations, n_model, model, .. } = self;
        let given = (format!("{n_given} given"), "the given chances are right".to_owned());
        let continued = (
            format!("{n_continuations} from continuations of the runs themselves"),
            "continuations went on from the stop with the same agent, harness and stopping rule"
                .to_owned(),
        );
        let model = model.as_ref();
        let model = model.map(|it| (format!("{n_model} by {}", it.note()), it.assumption()));
        let given = (*n_given > 0).then_some(given);
        let continued = (*n_continuations > 0).then_some(continued);
        [given, continued, model].into_iter().flatten().unzip()
    }

    /// Returns the note on the sources of the probabilities.
    pub(super) fn note(&self) -> String {
        let (sources, assumptions) = self.parts();
        let fixed = match self.model {
            Some(_) => {
                "; the resamples keep the model fixed, so the intervals do not include the error of the model"
            }
            None => "",
        };
        let (sources, assumptions) = (sources.join(", "), assumptions.join("; "));
        format!("success chance: {sources}; assumed: {assumptions}{fixed}")
    }

    pub(super) fn block(&self) -> Block {
        let fields = [
            Field::shown("source", "source", self.source()),
            Field::shown("n_given", "given", self.n_given),
            Field::shown("n_continuations", "share of continuations", self.n_continuations),
            Field::shown("n_model", "regression that excludes the scored streams", self.n_model),
            Field::shown("n_unknown", "unknown", self.n_unknown),
        ];
        let title = "where the chances of success of cut-off runs come from";
        let mut block = Block::titled(title, fields);
        block.push_json("model", &self.model);
        block.push_json("assumption", &self.parts().1.join("; "));
        block
    }
}
