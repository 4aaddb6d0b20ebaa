//! Results of tau2-bench: one file, or `results.json` with a folder `simulations` next to it.

pub(crate) mod conversation;
pub(crate) mod simulation;

use std::{collections::BTreeSet, io::Read, sync::Arc, vec};

use crate::{
    engines::{
        folder::Folder,
        json::reader::{Json, fields},
    },
    error::{Error, Problem},
    format::{About, ReadOptions},
    formats::{
        log_reader::{Log, LogReader, Opened, Reader, Shape},
        tau2::simulation::{Header, Simulation, simulation},
    },
    values::{evaluation::Evaluation, run::Run},
};

/// The reader of results, and of single simulations.
pub(crate) const READER: Reader = Reader {
    recognizes,
    open,
    about: About {
        source: "`results.json` of `tau2 run`, or its folder `simulations`",
        reads: "rewards, stop reasons, expected calls, calls of agent and user, times, cost",
        lacks: "log-probabilities: not available",
    },
};

/// Returns whether the first bytes of a file show results, or one simulation.
fn recognizes(shape: &Shape) -> bool {
    let has_info = shape.has_key("info", "num_trials") || shape.has_key("info", "environment_info");
    let has_tasks =
        shape.has_key("tasks", "user_scenario") || shape.has_key("tasks", "evaluation_criteria");
    !shape.is_list
        && ((has_info && (shape.has("tasks") || shape.has("simulations")))
            || (has_tasks && shape.has("info"))
            || shape.has_all(&["info", "tasks", "simulations"])
            || shape.has_key("simulations", "task_id")
            || shape.has("simulation_index")
            || is_simulation(shape))
}

/// Returns whether the file holds one simulation, as the folder form has them.
fn is_simulation(shape: &Shape) -> bool {
    shape.has_all(&["task_id", "termination_reason"])
}

fn open(log: Log<'_>) -> Result<Opened<'_>, Error> {
    let folder = log.folder();
    let Log { source, shape, format, options, .. } = log;
    if is_simulation(&shape) {
        return Ok(Opened::new(format, simulation::alone(source, options)));
    }
    let simulations = folder.and_then(|folder| folder.join(SIMULATIONS));
    let owned = simulations.iter().map(|folder| folder.path().to_owned()).collect();
    let results = Results::open(source, simulations, &options)?;
    Ok(Opened { owned, ..Opened::new(format, results) })
}

/// The field of the simulations, and the folder that holds them in the folder form.
pub(crate) const SIMULATIONS: &str = "simulations";

const INDEX: &str = "simulation_index";
const RESULTS: &[&str] = &["timestamp", "info", "tasks", SIMULATIONS, INDEX];

/// The simulations of results.
///
/// They are read one at a time. If the simulations precede `info` or `tasks`, which the benchmark never writes, all are held, and
/// the limit for one run applies to all of them together.
struct Results<'a> {
    json: Json<'a>,
    options: ReadOptions,
    /// The folder of the simulations, if they have separate files.
    folder: Option<Folder>,
    header: Header,
    /// The ids of the simulations that the folder should hold.
    index: Option<BTreeSet<String>>,
    /// Simulations that wait for the rest of the results.
    held: Vec<Simulation>,
    has_info: bool,
    has_tasks: bool,
    has_simulations: bool,
    state: State,
}

enum State {
    InResults,
    InSimulations,
    InFiles(vec::IntoIter<String>),
    Held(vec::IntoIter<Simulation>),
}

impl<'a> Results<'a> {
    fn open(
        source: impl Read + 'a,
        folder: Option<Folder>,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let mut json = Json::new(source, options.limits);
        json.begin_object()?;
        Ok(Self {
            json,
            options: *options,
            folder,
            header: Header::default(),
            index: None,
            has_info: false,
            has_tasks: false,
            has_simulations: false,
            held: Vec::new(),
            state: State::InResults,
        })
    }
}

impl LogReader for Results<'_> {
    fn next_run(&mut self) -> Result<Option<Run>, Error> {
        loop {
            match &mut self.state {
                State::InResults => {
                    let field = self.json.next_field(&[RESULTS])?;
                    self.field(field)?;
                }
                State::InSimulations => {
                    let is_complete = self.has_info && self.has_tasks;
                    if is_complete {
                        self.header.complete();
                        self.json.begin_run();
                    }
                    if !self.json.next_element()? {
                        self.state = State::InResults;
                    } else if is_complete {
                        let read = simulation(&mut self.json, &self.options)?;
                        return Ok(Some(read.into_run(&self.header)));
                    } else {
                        self.held.push(simulation(&mut self.json, &self.options)?);
                    }
                }
                State::Held(simulations) => {
                    return Ok(simulations.next().map(|read| read.into_run(&self.header)));
                }
                State::InFiles(names) => match names.next() {
                    Some(name) => return self.file(&name),
                    None => return Ok(None),
                },
            }
        }
    }

    fn head(&self) -> Option<&Arc<Evaluation>> {
        self.header.evaluation.as_ref()
    }
}

impl Results<'_> {
    fn field(&mut self, field: Option<&'static str>) -> Result<(), Error> {
        let Some(field) = field else {
            self.json.end()?;
            self.header.complete();
            let held = std::mem::take(&mut self.held);
            self.state =
                if self.has_simulations { State::Held(held.into_iter()) } else { self.files()? };
            return Ok(());
        };
        if self.json.null()? {
            return Ok(());
        }
        match field {
            "timestamp" => {
                self.header.created = Some(self.json.text()?);
                Ok(())
            }
            "info" => {
                self.has_info = true;
                self.header.read_info(&mut self.json)
            }
            "tasks" => {
                self.has_tasks = true;
                self.header.read_tasks(&mut self.json)
            }
            SIMULATIONS => {
                self.json.begin_list()?;
                self.has_simulations = true;
                self.state = State::InSimulations;
                Ok(())
            }
            INDEX => {
                let mut ids = BTreeSet::new();
                self.json.list(|json| fields!(|json| { "id" => ids.insert(json.name()?), }))?;
                self.index = Some(ids);
                Ok(())
            }
            _ => self.json.skip(),
        }
    }

    /// The files of the simulations. The index, if there is one, must name exactly these.
    fn files(&self) -> Result<State, Error> {
        let names = self.folder.as_ref().map(|folder| folder.files(".json")).transpose()?.flatten();
        let names = match (names, &self.index) {
            (Some(names), _) => names,
            (None, Some(index)) if index.is_empty() => Vec::new(),
            (None, _) => return Err(self.json.error_at(SIMULATIONS, Problem::Missing)),
        };
        if let Some(index) = &self.index {
            let id = |name: &String| name.strip_suffix(".json").unwrap_or(name).to_owned();
            let found: BTreeSet<String> = names.iter().map(id).collect();
            if let Some(missing) = index.difference(&found).next() {
                let what = format!("the file of the simulation {missing}");
                return Err(self.json.error_at(INDEX, Problem::Dangling { what }));
            }
            if let Some(extra) = found.difference(index).next() {
                let (value, expected) = (extra.clone(), "only simulations of the index");
                return Err(self.json.error_at(SIMULATIONS, Problem::Value { value, expected }));
            }
        }
        Ok(State::InFiles(names.into_iter()))
    }

    fn file(&self, name: &str) -> Result<Option<Run>, Error> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let Some((file, path)) = folder.open(name)? else {
            let what = format!("the file {name}");
            return Err(self.json.error_at(SIMULATIONS, Problem::Dangling { what }));
        };
        let mut json = Json::new(file, self.options.limits);
        let read = simulation(&mut json, &self.options);
        let read = read.and_then(|read| json.end().map(|()| read.into_run(&self.header)));
        read.map(Some).map_err(|error| error.in_file(&path))
    }
}
