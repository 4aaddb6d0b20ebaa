//! The environments of `play` and `run`: Sokoban and the warehouse of the budget paper.

use std::{error::Error, path::Path};

use agent_scorecard::{
    Position, Report,
    agent_benchmarks::{
        Probability,
        play::{Environment, Play, PlayConversation, PlayRecord, rollouts},
        sokoban::{Room, RoomSettings, Sokoban, Texts, solver},
        warehouse::{Cents, STEPS, Start, Warehouse, base_stock, probed_rollouts},
    },
    live::{self, LiveOptions, Played, rooms, runs},
    options,
};
use budget_estimation::{Rollouts, Seed, StopRule, bagen::ProbeMethod};
use run_logs::write_rollouts;
use serde_json::json;

use crate::{
    output::{
        options::Forms,
        overwrites::Output,
        program::{self, Written},
    },
    plain,
    progress::working,
};

/// The seed of the warehouse's targets and budgets, as in the paper.
const PROBES: Seed = Seed(42);

/// The options of runs and of the questions asked during them.
#[derive(Debug, clap::Args)]
pub(crate) struct Course {
    /// Seed of the room or demand in the first run; each further run uses the next seed
    #[arg(long, value_name = "N", default_value = "123")]
    first_seed: u32,
    /// Number of seeds. Each seed gives one run, or none if it has no valid room
    #[arg(long, value_name = "N", default_value = "128", value_parser = options::whole::<u32>(1, 100_000))]
    count: u32,
    /// Resource whose remaining cost is estimated, optionally with its cap, such as total_tokens=2500. May be given
    /// several times. Default: total_tokens for sokoban; time_weeks, warehouse_item_weeks and cumulative_cost_usd for
    /// the warehouse
    #[arg(long = "resource", value_name = "NAME[=CAP]", value_parser = options::capped)]
    resources: Vec<(String, Option<f64>)>,
    /// Cap on the cost of each run, in units of the first resource
    #[arg(long, value_name = "N", value_parser = options::cap)]
    cap: Option<f64>,
    /// After each turn, ask the player to estimate the remaining cost of its run
    #[arg(long)]
    pub(crate) ask: bool,
    /// Show the player its answers to --ask in the prompts of later turns
    #[arg(long, requires = "ask")]
    show_answers: bool,
    /// Stop a run after N consecutive answers "impossible", or when it exceeds a cap. Without this option, every run
    /// continues to its end, so that its full cost is known
    #[arg(long, value_name = "N", requires = "ask", value_parser = options::whole::<u32>(1, 1_000))]
    stop_after: Option<u32>,
}

impl Course {
    fn seeds(&self) -> Result<(u32, u32), &'static str> {
        let last = self.first_seed.checked_add(self.count - 1);
        last.map(|_| (self.first_seed, self.count)).ok_or("--count: seeds end at 4294967295")
    }
}

/// Environments with their seeds, and the instruction before the first turn if it replaces the environment's.
pub(crate) type Found<E> = Result<(Vec<(u32, E)>, Option<String>), Box<dyn Error>>;

/// A game with its options.
pub(crate) trait Game: clap::Args + std::fmt::Debug {
    const NAME: &'static str;
    /// The resources that are estimated by default.
    const USUAL: &'static [&'static str];
    /// The default maximum number of turns of a run.
    const TURNS: usize;
    type Environment: Environment + Clone + Send + Sync;

    fn course(&self) -> &Course;

    /// Returns whether a run can fail by itself.
    fn has_goal(&self) -> bool;

    /// Describes everything that determines the environments, except for their seeds.
    fn setting(&self) -> String;

    /// Returns the environments, and the instruction before the first turn if it differs from the environment's. It
    /// uses the published texts if they are given. Incompatible options are an error.
    fn environments(&self, texts: Option<&Texts>) -> Found<Self::Environment>;

    /// Returns the rollouts, before caps of options.
    fn rollouts(&self, records: &[PlayRecord]) -> Result<Rollouts, Box<dyn Error>> {
        Ok(rollouts::<Self::Environment>(records)?)
    }

    /// Returns the estimated resources with their caps.
    fn resources(&self) -> Vec<(String, Option<f64>)> {
        let Course { resources, cap, .. } = self.course();
        capped(resources, Self::USUAL, *cap)
    }

    /// Returns the settings of runs, and their environments.
    #[expect(clippy::type_complexity, reason = "one caller each for play and run")]
    fn runs(
        &self,
        texts: Option<&Texts>,
    ) -> Result<(Play, Vec<(u32, Self::Environment)>), Box<dyn Error>> {
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
        let (environments, instruction) = self.environments(texts)?;
        let play = Play::new().with_most_turns(Self::TURNS).with_instruction(instruction);
        if !course.ask {
            return Ok((play, environments));
        }
        let asks = resources.iter().map(|(name, cap)| (name.as_str(), *cap));
        let rule = course.stop_after.map(StopRule::impossible_in_a_row).transpose()?;
        let play = play
            .with_questions(&asks.collect::<Vec<_>>(), course.show_answers)
            .with_enforced_caps(rule.is_some())
            .with_stop_rule(rule);
        Ok((play, environments))
    }

    /// Describes the questions during a run.
    fn asks(&self) -> String {
        let Course { ask, show_answers, stop_after, .. } = self.course();
        if !ask {
            return "nothing asked".to_owned();
        }
        let asked = asked(&self.resources());
        let shown = if *show_answers { ", answers shown" } else { "" };
        let stop = stop_after.map_or_else(String::new, |n| format!(", stopped after {n}"));
        format!("asked for {asked}{shown}{stop}")
    }

    /// Returns the report on runs, and writes their rollouts and answers to a folder, if one is given.
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
            let answers = records.iter().flat_map(|it| {
                // After the last turn nothing was left to estimate.
                let turns = (1..it.turns.len()).zip(&it.turns);
                turns.filter_map(|(turn, known)| {
                    let answer = known.answer.as_ref()?;
                    Some(json!({"id": it.record.run.id, "turn": turn, "answer": answer}))
                })
            });
            write_runs(folder, &rollouts, answers)?;
        }
        let has_goal = self.has_goal();
        let played = Played { records, rollouts: &rollouts, resources: &names, has_goal };
        let mut report = working("estimating", || live::play(&played, options))?;
        let passed_over = self.course().count as usize - records.len();
        if passed_over > 0 {
            let note = format!("seeds skipped because they give no room: {passed_over}");
            report.together.say(Position::Note, [note]);
        }
        Ok(report)
    }
}

/// Returns the named resources, or otherwise the usual ones; the first gets this cap unless it has one.
pub(crate) fn capped(
    named: &[(String, Option<f64>)],
    usual: &[&str],
    cap: Option<f64>,
) -> Vec<(String, Option<f64>)> {
    let mut all = named.to_vec();
    if all.is_empty() {
        all.extend(usual.iter().map(|name| ((*name).to_owned(), None)));
    }
    if let Some((_, first)) = all.first_mut() {
        *first = first.or(cap);
    }
    all
}

/// Describes the estimated resources in words.
pub(crate) fn asked(resources: &[(String, Option<f64>)]) -> String {
    let words = resources.iter().map(|(name, cap)| {
        cap.map_or_else(|| format!("{name} without a cap"), |cap| format!("{name} up to {cap}"))
    });
    words.collect::<Vec<_>>().join(" and ")
}

/// Writes runs and the answers about them, in the format that `budget` reads.
pub(crate) fn write_runs(
    folder: &Path,
    rollouts: &Rollouts,
    answers: impl Iterator<Item = serde_json::Value>,
) -> Result<(), Box<dyn Error>> {
    let mut lines = Vec::new();
    write_rollouts(rollouts, &mut lines)?;
    program::write_file(&folder.join("rollouts.jsonl"), &lines)?;
    let answers: String = answers.map(|answer| format!("{answer}\n")).collect();
    Ok(program::write_file(&folder.join("estimates.jsonl"), answers.as_bytes())?)
}

/// Rooms of Sokoban.
#[derive(Debug, clap::Args)]
pub(crate) struct Rooms {
    #[command(flatten)]
    course: Course,
    /// Set of rooms: evaluation (8 x 8, two boxes) or training (6 x 6, one box)
    #[arg(long, default_value = "evaluation", value_parser = options::one_of([("evaluation", RoomSettings::EVALUATION), ("training", RoomSettings::TRAINING)]))]
    preset: RoomSettings,
}

impl Rooms {
    /// Returns the room of each seed, in the released alphabet.
    pub(crate) fn drawn(&self) -> Result<String, &'static str> {
        let (first, count) = self.course.seeds()?;
        let drawn =
            (first..=first + (count - 1)).map(|seed| match Room::generate(&self.preset, seed) {
                Ok(room) => format!("; seed {seed}\n{room}\n\n"),
                Err(error) => format!("; {error}\n\n"),
            });
        Ok(drawn.collect())
    }
}

impl Game for Rooms {
    const NAME: &'static str = "sokoban";
    const USUAL: &'static [&'static str] = &["total_tokens"];
    const TURNS: usize = 10;
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

    fn environments(&self, texts: Option<&Texts>) -> Found<Sokoban> {
        let (first, count) = self.course.seeds()?;
        let rooms = rooms(&self.preset, first, count)?;
        if rooms.is_empty() {
            return Err("--first-seed: none of these seeds gives a room".into());
        }
        let texts = texts.cloned().unwrap_or_default();
        let game = |(seed, room)| (seed, Sokoban::new(room).with_texts(texts.clone()));
        Ok((rooms.into_iter().map(game).collect(), None))
    }
}

/// Games of the warehouse.
#[derive(Debug, clap::Args)]
pub(crate) struct Market {
    #[command(flatten)]
    course: Course,
    /// Start the warehouse with goods and money, instead of money only
    #[arg(long)]
    stocked: bool,
    /// Target in dollars: the cash that a run needs at its end to succeed. The player is told the target. Without this
    /// option, a target and budgets are drawn for each run after its end, so that half of the runs miss them
    #[arg(long, value_name = "USD", value_parser = options::cap)]
    target: Option<f64>,
    /// Method that draws the target and budgets of a run that is meant to miss them: described (as in the paper's text)
    /// or released (as in the paper's code)
    #[arg(long = "probe-method", default_value = "described", conflicts_with = "target", value_parser = options::one_of([("described", ProbeMethod::Described), ("released", ProbeMethod::Released)]))]
    probes: ProbeMethod,
}

impl Game for Market {
    const NAME: &'static str = "warehouse";
    const USUAL: &'static [&'static str] = Warehouse::RESOURCES;
    const TURNS: usize = STEPS;
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

    fn environments(&self, texts: Option<&Texts>) -> Found<Warehouse> {
        let (first, count) = self.course.seeds()?;
        if self.target.is_none() && self.resources().iter().any(|(_, cap)| cap.is_some()) {
            return Err("--cap, --resource NAME=CAP: give --target, too; without --target, runs get budgets of their own afterwards".into());
        }
        if texts.is_some() && self.target.is_some() {
            return Err(
                "--published: the published text of the warehouse states no --target; leave it out"
                    .into(),
            );
        }
        let none = || format!("--published: {} has no text of the warehouse", Texts::FILE);
        let instruction = |texts: &Texts| texts.warehouse_instruction().ok_or_else(none);
        let target = self.target.map(|dollars| Cents::new((100.0 * dollars).round() as i64));
        let start = if self.stocked { Start::Stocked } else { Start::Empty };
        let game = |seed: u32| Warehouse::new(start, Seed(u64::from(seed))).with_target(target);
        let games = (first..=first + (count - 1)).map(|seed| (seed, game(seed))).collect();
        Ok((games, texts.map(instruction).transpose()?))
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

/// Plays an environment of the BAGEN paper without a language model, and scores estimates of the remaining cost
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct PlayOptions {
    #[command(subcommand)]
    environment: Which,
}

#[derive(Debug, clap::Subcommand)]
enum Which {
    /// Lets a solver play rooms of Sokoban
    #[command(after_help = HELP)]
    Sokoban {
        #[command(flatten)]
        rooms: Rooms,
        /// Probability that a random step replaces the step of the solver, from 0 to 1
        #[arg(long, value_name = "P", default_value = "0", value_parser = options::share)]
        mistakes: f64,
        /// Print the rooms instead of playing them: # wall, _ floor, O target, X box, √ box on target, P player, S
        /// player on target
        #[arg(long)]
        print_rooms: bool,
        #[command(flatten)]
        shown: Shown,
    },
    /// Lets an order-up-to rule run a warehouse
    #[command(after_help = HELP)]
    Warehouse {
        #[command(flatten)]
        market: Market,
        #[command(flatten)]
        shown: Shown,
    },
}

/// The options of output and of the report.
#[derive(Debug, clap::Args)]
struct Shown {
    /// Folder to write to: the files rollouts.jsonl and estimates.jsonl for the subcommand `budget`, and a trajectory
    /// (ATIF) of each run in the subfolder runs
    #[arg(long, value_name = "FOLDER")]
    output: Option<Output>,
    /// Number of bootstrap resamples of runs for the 95 % intervals; 0 gives no intervals
    #[arg(long, value_name = "N", default_value_t = trajectory_metrics::Bootstrap::RESAMPLES, value_parser = options::resamples)]
    resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value = "1", value_parser = options::seed)]
    seed: u64,
    #[command(flatten)]
    forms: Forms,
}

const HELP: &str = include_str!("help/play.txt");

pub(crate) fn output(options: PlayOptions) -> Result<Written, Box<dyn Error>> {
    match options.environment {
        Which::Sokoban { rooms, print_rooms: true, .. } => Ok(plain::lines(rooms.drawn()?).into()),
        Which::Sokoban { rooms, mistakes, shown, .. } => {
            let mistakes = Probability::new(mistakes)?;
            played(&rooms, "solver", shown, |seed| solver(mistakes, seed))
        }
        Which::Warehouse { market, shown } => {
            played(&market, "base-stock", shown, |_| base_stock())
        }
    }
}

fn played<G: Game, P: FnMut(&PlayConversation<G::Environment>) -> String>(
    game: &G,
    policy: &str,
    shown: Shown,
    player: impl Fn(Seed) -> P + Sync,
) -> Result<Written, Box<dyn Error>> {
    let Shown { output, resamples, seed, forms } = shown;
    let (settings, environments) = game.runs(None)?;
    let records = working("playing", || runs(environments, &settings, player))?;
    if let Some(folder) = &output {
        let texts =
            records.iter().map(|it| (it.record.run.id.clone(), plain::json(it.record.to_atif())));
        program::write_trajectories(&folder.join("runs"), texts)?;
    }
    let options = LiveOptions { model: policy.to_owned(), resamples, seed };
    let mut report = game.report(&records, &options, output.as_deref())?;
    report.lead = format!("{} by {policy}: {}, {}", G::NAME, game.setting(), game.asks());
    forms.show(report)
}
