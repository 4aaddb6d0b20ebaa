//! A benchmark of your own from nothing. A page has to become a brief, with typed tools that have prices. On the way a tool
//! disappears and a price rises. A run has a budget, and a closure grades it. A simulated agent states its confidence in each
//! step. The report has intervals by page, and a gate decides the exit code.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::{error::Error, process::ExitCode};

use agent_benchmarks::play::{Acted, End, Environment, Play};
use agent_benchmarks::{Arguments, RecordedCall, Reply, Request, ToolDefinition, converse};
use agent_scorecard::compare::{CompareOptions, Side, compare};
use agent_scorecard::{Better, Field, Measure, Position, traces::LoggedColumn};
use budget_estimation::Budget;
use rand::{RngExt, SeedableRng, seq::IteratorRandom};
use rand_chacha::ChaCha8Rng;
use run_logs::{ConfidenceStream, ForecastPolicy};
use tool_graph::{Episode, Event, Scenario, Tool, ToolGraph, TriggerRule};
use trajectory_metrics::{BrierScore, Level, Tps, WeightSchedule};

// The tasks: tools with data types and prices in cents, and what happens during a run.
fn scenario(page: usize) -> Result<Scenario, tool_graph::Error> {
    let scan = 3.0 + (page % 3) as f64;
    let graph = ToolGraph::new(vec![
        Tool::new("scan", ["page"], ["text"], scan),
        Tool::new("translate", ["text"], ["draft"], 4.0),
        Tool::new("translate_page", ["page"], ["draft"], 6.0),
        Tool::new("edit", ["draft"], ["brief"], 3.0),
        Tool::new("polish", ["draft"], ["brief"], 4.0),
    ])?;
    let problem = graph.problem(&["page"], &["brief"])?;
    // A tool disappears at the first call. After the second one, `edit` costs 6.
    let gone = Event::BanNamed("translate_page".to_owned());
    let dearer = Event::CostChange(vec![scan, 4.0, 6.0, 6.0, 4.0]);
    let scenario = Scenario::new(graph, problem)?.with_events(vec![gone, dearer])?;
    scenario.with_trigger_rule(TriggerRule::AtSteps(vec![1, 2]))
}

// The environment: what a model sees, what its replies do, and when a run ends.
struct Desk<'a, G> {
    page: usize,
    episode: Episode<'a>,
    budget: Budget,
    grade: G,
    end: Option<End>,
}

impl<G: Fn(usize, &str) -> bool> Environment for Desk<'_, G> {
    const RESOURCES: &'static [&'static str] = &["cents"];

    fn task(&self) -> Option<String> {
        Some(format!("page {}", self.page))
    }

    fn instruction(&self) -> String {
        "Make a brief of the page. State your confidence in each reply.".to_owned()
    }

    fn observation(&self) -> String {
        format!("page {} with {}", self.page, self.budget)
    }

    fn tools(&self) -> Vec<ToolDefinition> {
        let text = |it: &Tool| format!("{:?} from {:?} for {}", it.outputs, it.inputs, it.cost);
        let tools = self.episode.visible_tools().into_iter();
        tools.map(|it| ToolDefinition::new(&it.name, text(&it), Vec::new())).collect()
    }

    fn act(&mut self, reply: &Reply) -> Acted {
        let mut acted = Acted::default();
        let Some(RecordedCall { name, .. }) = reply.tool_calls.first() else {
            let is_right = self.episode.goal_reached() && (self.grade)(self.page, &reply.text);
            self.end = Some(if is_right { End::Succeeded } else { End::Failed });
            return acted;
        };
        let tool = self.episode.visible_tools().into_iter().find(|tool| tool.name == *name);
        let held = self.budget.reserve(&[("cents", tool.map_or(0.0, |tool| tool.cost))]);
        let (Ok(held), Ok(call)) = (held, self.episode.call(name)) else {
            // The budget and the scenario's limit of 20 calls are parts of the task: such a run has failed.
            self.end = Some(End::AtLimit);
            return acted;
        };
        self.end = held.settle(&[("cents", call.cost)]).err().map(|_| End::AtLimit);
        let done = Some(format!("{name}: done")).filter(|_| call.status.is_done());
        acted.results = vec![done.ok_or_else(|| format!("{name} cannot be called"))];
        acted.spent = vec![call.cost];
        acted
    }

    fn end(&self) -> Option<End> {
        self.end
    }
}

// The agent calls any tool that has not worked yet, until it has a brief. A model would read the page; this agent is told.
fn agent(page: usize, request: &Request, rng: &mut ChaCha8Rng) -> Reply {
    let done = |name: &str| request.messages.iter().any(|it| it.text == format!("{name}: done"));
    let chosen = request.tools.iter().filter(|tool| !done(&tool.name)).choose(rng);
    // Every fourth page is hard, and the agent only suspects it.
    let (chance, confidence) = if page.is_multiple_of(4) { (0.4, 0.7) } else { (0.9, 0.9) };
    let answer = page + usize::from(!rng.random_bool(chance));
    let mut reply = Reply::from(format!("brief {answer}\nconfidence: {confidence}"));
    let next = chosen.filter(|_| !done("edit") && !done("polish"));
    reply.tool_calls.extend(next.map(|tool| RecordedCall::new(&tool.name, Arguments::default())));
    reply
}

// Figures of your own.
const GAP: Measure = Measure::new(
    "cost_gap",
    "gap",
    Better::Lower,
    "Cents above the best run, of runs that succeeded.",
);
const TPS: Measure = Measure::new("tps", "TPS", Better::Higher, "Brier score over all steps.");

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (level, total) = (Level::new(0.95)?, Budget::new([("cents", Some(1_000.0))])?);
    let grade = |page: usize, answer: &str| answer.starts_with(&format!("brief {page}\n"));
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut runs, mut gaps, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    for page in (0..60).map(|run| run / 3) {
        let scenario = scenario(page)?;
        let (episode, budget) = (Episode::new(&scenario), total.child(&[("cents", 14.0)])?);
        let desk = Desk { page, episode, budget, grade, end: None };
        let play = Play::new().with_most_turns(40);
        let conversation = play.conversation(&format!("run {}", runs.len()), desk)?;
        let record = converse(conversation, |request| Ok(agent(page, request, &mut rng)))?;
        if record.succeeded {
            let spent: f64 = record.turns.iter().map(|turn| turn.spent[0]).sum();
            gaps.push(spent - scenario.optimal_run().total_cost());
            pages.push(page);
        }
        runs.push(record.record.run);
    }
    let left_out = runs.len() - gaps.len();
    let log = LoggedColumn::of_runs("my agent", runs)?;
    let stated = log.table.stream(ConfidenceStream::StatedConfidence, ForecastPolicy::Refuse)?;
    let scores = Tps::new(BrierScore, WeightSchedule::Uniform).scores(&stated.traces()?)?;
    let tasks: Vec<_> = stated.runs().iter().map(|run| &run.task).collect();

    // The report, with intervals that treat the runs of a page as dependent.
    let mut report = compare([Side::from(&log)], CompareOptions::default(), level)?;
    let own = [Field::mean(GAP, &gaps, &pages, level), Field::mean(TPS, &scores, &tasks, level)];
    report.columns[0].block.fields.extend(own);
    let note = format!("cost_gap leaves out {left_out} runs, which did not succeed");
    report.columns[0].block.say(Position::Note, [note.clone()]);
    println!("{}\n{note}", report.conclusion.join("\n"));
    for it in report.figures() {
        println!("{}: {:.3}", it.name, it.figure.unwrap_or(f64::NAN.into()));
    }
    // The gate. A rate without an interval does not pass.
    let rate = report.placed("/files/0/success_rate").and_then(|it| it.figure.ok()?.interval.ok());
    let fails = rate.is_none_or(|ends| ends.low() < 0.4);
    println!("the gate fails: {fails}");
    Ok(ExitCode::from(u8::from(fails)))
}
