//! The environments that `play` and `run` play: Sokoban and the warehouse of the budget paper.

use std::{error::Error, fs, path::Path};

use agent_scorecard::{
    Report,
    agent_benchmarks::{
        play::{Environment, Play, PlayRecord, rollouts},
        sokoban::{RoomSettings, Sokoban, Texts},
        warehouse::{Cents, STEPS, Start, Warehouse, probed_rollouts},
    },
    live::{self, ESTIMATORS, LiveOptions, Played, rooms},
};
use budget_estimation::{ProbeMethod, Rollouts, Seed, StopRule};
use run_logs::write_rollouts;
use serde_json::json;

use crate::{
    output::program,
    progress::working,
    values::{self, whole},
};

/// The seed of targets and budgets of the warehouse, as in the paper.
const PROBES: Seed = Seed::new(42);

/// Which runs there are, and what is asked on the way.
#[derive(Debug, clap::Args)]
pub(crate) struct Course {
    /// The seed of the first room or demand
    #[arg(long, value_name = "N", default_value = "123")]
    first_seed: u32,
    /// How many seeds; those that give no room are passed over
    #[arg(long, value_name = "N", default_value = "128", value_parser = whole::<u32>(1, 100_000))]
    count: u32,
    /// What is estimated, with its cap, such as total_tokens=2500; may be given several times. By default total_tokens of
    /// sokoban, and time_weeks, warehouse_item_weeks and cumulative_cost_usd of the warehouse
    #[arg(long = "resource", value_name = "NAME[=CAP]", value_parser = values::capped)]
    resources: Vec<(String, Option<f64>)>,
    /// The cap of each run on the first resource
    #[arg(long, value_name = "N", value_parser = values::cap)]
    cap: Option<f64>,
    /// Ask whoever plays after each turn what its run will still spend
    #[arg(long)]
    ask: bool,
    /// Let later turns show what was answered
    #[arg(long, requires = "ask")]
    show_answers: bool,
    /// End a run after so many answers "impossible" in a row, or when it has passed a cap. Without this, runs go on, so
    /// that it is known what they would have spent
    #[arg(long, value_name = "N", requires = "ask", value_parser = whole::<u32>(1, 1_000))]
    stop_after: Option<u32>,
}

impl Course {
    fn seeds(&self) -> Result<(u32, u32), &'static str> {
        let last = self.first_seed.checked_add(self.count - 1);
        last.map(|_| (self.first_seed, self.count)).ok_or("--count: seeds end at 4294967295")
    }
}

/// Environments with their seeds.
pub(crate) type Seeded<E> = Vec<(u32, E)>;

/// A game with its options.
pub(crate) trait Game: clap::Args + std::fmt::Debug {
    const NAME: &'static str;
    /// What is estimated unless it is said.
    const USUAL: &'static [&'static str];
    /// The most turns of a run.
    const TURNS: usize;
    /// The most tokens of a request and its reply, as released, if there are any.
    const TURN_TOKENS: u64;
    type Environment: Environment + Clone + Send + Sync;

    fn course(&self) -> &Course;

    /// Whether a run can fail by itself.
    fn has_goal(&self) -> bool;

    /// What determines the environments besides their seeds, in words.
    fn setting(&self) -> String;

    /// Options that do not go together are found here.
    fn environments(&self) -> Result<Seeded<Self::Environment>, Box<dyn Error>>;

    /// An environment with published words.
    fn told(environment: Self::Environment, texts: &Texts) -> Self::Environment {
        let _ = texts;
        environment
    }

    /// The published words before the first turn, if the environment has none of its own.
    fn instruction(&self, texts: &Texts) -> Result<Option<String>, Box<dyn Error>> {
        let _ = texts;
        Ok(None)
    }

    /// The rollouts, before caps of options.
    fn rollouts(&self, records: &[PlayRecord]) -> Result<Rollouts, Box<dyn Error>> {
        Ok(rollouts::<Self::Environment>(records)?)
    }

    /// What is estimated, with caps.
    fn resources(&self) -> Vec<(String, Option<f64>)> {
        let course = self.course();
        let usual = || Self::USUAL.iter().map(|name| ((*name).to_owned(), None));
        let mut all = course.resources.clone();
        if all.is_empty() {
            all.extend(usual());
        }
        if let Some((_, cap)) = all.first_mut() {
            *cap = cap.or(course.cap);
        }
        all
    }

    /// How runs are played.
    fn settings(&self) -> Result<Play, Box<dyn Error>> {
        let (course, resources) = (self.course(), self.resources());
        let known = rollouts::<Self::Environment>([])?;
        for (name, _) in &resources {
            if known.resource(name).is_err() {
                let names: Vec<&str> = known.resources().map(|(_, name)| name).collect();
                return Err(
                    format!("--resource: {name} is unknown; known: {}", names.join(", ")).into()
                );
            }
        }
        let play = Play::new().with_most_turns(Self::TURNS);
        if !course.ask {
            return Ok(play);
        }
        let asks = resources.iter().map(|(name, cap)| (name.as_str(), *cap));
        let rule = course.stop_after.map(StopRule::impossible_in_a_row).transpose()?;
        Ok(play
            .with_questions(&asks.collect::<Vec<_>>(), course.show_answers)
            .with_enforced_caps(rule.is_some())
            .with_stop_rule(rule))
    }

    /// What is asked on the way, in words.
    fn asks(&self) -> String {
        let Course { ask, show_answers, stop_after, .. } = self.course();
        if !ask {
            return "nothing asked".to_owned();
        }
        let asked = self.resources().into_iter().map(|(name, cap)| {
            cap.map_or_else(|| format!("{name} without a cap"), |cap| format!("{name} up to {cap}"))
        });
        let asked = asked.collect::<Vec<_>>().join(" and ");
        let shown = if *show_answers { ", answers shown" } else { "" };
        let stop = stop_after.map_or_else(String::new, |n| format!(", stopped after {n}"));
        format!("asked for {asked}{shown}{stop}")
    }

    /// The most requests of a run.
    fn most_requests(&self) -> usize {
        Self::TURNS * (1 + usize::from(self.course().ask))
    }

    /// The report on runs, and in a folder their rollouts and answers, if there is one.
    fn report(
        &self,
        records: &[PlayRecord],
        options: &LiveOptions,
        folder: Option<&Path>,
    ) -> Result<Report, Box<dyn Error>> {
        let mut rollouts = self.rollouts(records)?;
        let mut names = Vec::new();
        for (name, cap) in self.resources() {
            let resource = rollouts.resource(&name)?;
            cap.map_or(Ok(()), |cap| rollouts.set_cap(resource, cap))?;
            names.push(name);
        }
        if let Some(folder) = folder {
            write(folder, records, &rollouts)?;
        }
        let has_goal = self.has_goal();
        let played = Played { records, rollouts: &rollouts, resources: &names, has_goal };
        let estimate = || live::play::<Self::Environment>(&played, &ESTIMATORS, options);
        let mut report = working("estimating", estimate)?;
        let passed_over = self.course().count as usize - records.len();
        if passed_over > 0 {
            let note = format!("seeds that give no room and are passed over: {passed_over}");
            report.together.notes.get_or_insert_default().push(note);
        }
        Ok(report)
    }
}

/// Writes what `budget` reads.
fn write(folder: &Path, records: &[PlayRecord], rollouts: &Rollouts) -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    write_rollouts(rollouts, &mut lines)?;
    program::write_file(&folder.join("rollouts.jsonl"), &lines)?;
    let answers = records.iter().flat_map(|it| {
        let id = &it.record.run.id;
        // After the last turn nothing was left to estimate.
        let turns = (1..it.turns.len()).zip(&it.turns);
        turns.filter_map(move |(turn, it)| {
            Some(json!({"id": id, "turn": turn, "answer": it.answer.as_ref()?}))
        })
    });
    let answers: String = answers.map(|answer| format!("{answer}\n")).collect();
    program::write_file(&folder.join("estimates.jsonl"), answers.as_bytes())?;
    let needs = records.iter().flat_map(|it| {
        let turns = (1..it.turns.len()).zip(&it.turns);
        turns.filter_map(move |(turn, known)| {
            let need = known.need?;
            // Infinite: the task cannot be done any more.
            let need = Some(need).filter(|need| need.is_finite());
            Some(json!({"id": it.record.run.id, "turn": turn, "need": need}))
        })
    });
    let needs: String = needs.map(|need| format!("{need}\n")).collect();
    let path = folder.join("needs.jsonl");
    if !needs.is_empty() {
        program::write_file(&path, needs.as_bytes())?;
    } else if path.is_file() {
        // Those of another environment do not stay.
        fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Rooms of Sokoban.
#[derive(Debug, clap::Args)]
pub(crate) struct Rooms {
    #[command(flatten)]
    course: Course,
    /// Which rooms: evaluation (8 x 8, two boxes) or training (6 x 6, one box)
    #[arg(long, default_value = "evaluation", value_parser = presets())]
    preset: RoomSettings,
}

/// The settings of rooms that have names.
pub(crate) fn presets() -> impl clap::builder::TypedValueParser<Value = RoomSettings> {
    values::one_of([("evaluation", RoomSettings::EVALUATION), ("training", RoomSettings::TRAINING)])
}

impl Game for Rooms {
    const NAME: &'static str = "sokoban";
    const USUAL: &'static [&'static str] = &["total_tokens"];
    const TURNS: usize = 10;
    const TURN_TOKENS: u64 = 2_500;
    type Environment = Sokoban;

    fn course(&self) -> &Course {
        &self.course
    }

    fn has_goal(&self) -> bool {
        true
    }

    fn setting(&self) -> String {
        let RoomSettings { size: [rows, columns], boxes, depth } = self.preset;
        format!("rooms of {rows} x {columns} with {boxes} boxes and depth {depth}")
    }

    fn environments(&self) -> Result<Seeded<Sokoban>, Box<dyn Error>> {
        let (first, count) = self.course.seeds()?;
        let rooms = rooms(&self.preset, first, count)?;
        if rooms.is_empty() {
            return Err("--first-seed: none of these seeds gives a room".into());
        }
        Ok(rooms.into_iter().map(|(seed, room)| (seed, Sokoban::new(room))).collect())
    }

    fn told(environment: Sokoban, texts: &Texts) -> Sokoban {
        environment.with_texts(texts.clone())
    }
}

/// Games of the warehouse.
#[derive(Debug, clap::Args)]
pub(crate) struct Market {
    #[command(flatten)]
    course: Course,
    /// Start with goods in place of money alone
    #[arg(long)]
    stocked: bool,
    /// The cash in dollars that a run has to have at its end, which the player is told. Without it, runs get targets and
    /// budgets afterwards, half of which they miss
    #[arg(long, value_name = "USD", value_parser = values::cap)]
    target: Option<f64>,
    /// How targets and budgets that runs miss are drawn: described (by the paper's text) or released (by its code)
    #[arg(long = "probe-method", default_value = "described", conflicts_with = "target", value_parser = values::one_of([("described", ProbeMethod::Described), ("released", ProbeMethod::Released)]))]
    probes: ProbeMethod,
}

impl Game for Market {
    const NAME: &'static str = "warehouse";
    const USUAL: &'static [&'static str] = Warehouse::RESOURCES;
    const TURNS: usize = STEPS;
    const TURN_TOKENS: u64 = 0;
    type Environment = Warehouse;

    fn course(&self) -> &Course {
        &self.course
    }

    fn has_goal(&self) -> bool {
        self.target.is_some()
    }

    fn setting(&self) -> String {
        let start = if self.stocked { "stocked" } else { "empty" };
        let target = self.target.map_or("no target".to_owned(), |usd| format!("target {usd}"));
        format!("{start} at the start, {target}")
    }

    fn environments(&self) -> Result<Seeded<Warehouse>, Box<dyn Error>> {
        let (first, count) = self.course.seeds()?;
        if self.target.is_none() && self.resources().iter().any(|(_, cap)| cap.is_some()) {
            return Err("--cap, --resource NAME=CAP: without --target, runs get budgets of their own afterwards".into());
        }
        let target = self.target.map(|dollars| Cents::new((100.0 * dollars).round() as i64));
        let start = if self.stocked { Start::Stocked } else { Start::Empty };
        let game =
            |seed: u32| Warehouse::new(start, Seed::new(u64::from(seed))).with_target(target);
        Ok((first..=first + (count - 1)).map(|seed| (seed, game(seed))).collect())
    }

    fn instruction(&self, texts: &Texts) -> Result<Option<String>, Box<dyn Error>> {
        if self.target.is_some() {
            return Err("--published: the published text of the warehouse tells no --target".into());
        }
        let text = texts.warehouse_instruction();
        let none = || format!("--published: {} has no text of the warehouse", Texts::FILE);
        Ok(Some(text.ok_or_else(none)?))
    }

    fn rollouts(&self, records: &[PlayRecord]) -> Result<Rollouts, Box<dyn Error>> {
        Ok(match self.target {
            Some(_) => rollouts::<Warehouse>(records)?,
            // Probes are drawn from runs that reached their end.
            None if records.iter().all(|it| it.end.is_none()) => rollouts::<Warehouse>(records)?,
            None => probed_rollouts(records, self.probes, PROBES)?.0,
        })
    }
}
