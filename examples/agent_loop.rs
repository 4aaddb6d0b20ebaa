//! An agent's loop that keeps itself honest: it acts in a world where a tool fails for good on the way,
//! scores its own confidence as it goes, and asks whether its budget will do.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use budget_estimation::{BudgetMonitor, Estimate, Reading, RecordedRun, StopRule};
use tool_graph::{Episode, Event, Problem, Scenario, Tool, ToolGraph};
use trajectory_metrics::{LogScore, Tps, WeightSchedule};

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = world()?;
    let mut episode = Episode::new(&scenario);
    let monitor = BudgetMonitor::new([("tokens", Some(80.0))])?;
    let mut run = RecordedRun::new(
        monitor.with_stop_rule(StopRule::first_impossible().with_reading(Reading::Cap)),
    )?;

    while !episode.goal_reached() && episode.calls_left() > 0 {
        // This agent takes the first tool of the cheapest plan from where it stands.
        let here = Problem { initial: episode.state().clone(), ..scenario.problem().clone() };
        let Some(plan) = episode.graph().optimal_plan(&here)? else { break };
        let Some(&next) = plan.tools.first() else { break };
        let name = episode.graph().tool_names(&[next]).concat();
        let reply = episode.call(&name)?;

        // It expects to pay for the rest of its plan, or for all of it where the call failed.
        let rest = plan.cost - reply.cost;
        run.push_forecast(1.0 - rest / 100.0)?;
        run.push(&[reply.cost])?;
        let advice = run.advise(&[Estimate::interval(rest, 1.5 * rest)?], None)?;
        println!("{name}: {:?}, cost {}, then {advice:?}", reply.status, reply.cost);
        if advice.stop_reason().is_some() {
            break;
        }
    }
    let succeeded = episode.goal_reached();
    let scores = episode.finish(succeeded).scores(&scenario.optimal_run())?;
    println!("succeeded: {succeeded}, edit distance: {:?}", scores.edit_distance);
    run.finish(succeeded)?;
    let tps = Tps::new(LogScore::clipped(1e-6)?, WeightSchedule::LinearFront);
    println!("score of its confidence: {:.3} nats", run.tps(&tps)?);
    Ok(())
}

fn world() -> Result<Scenario, tool_graph::Error> {
    let graph = ToolGraph::new(vec![
        Tool::new("search", ["query"], ["hits"], 20.0),
        Tool::new("rank", ["hits"], ["ranked"], 5.0),
        Tool::new("pick", ["ranked"], ["choice"], 10.0),
        Tool::new("search_and_rank", ["query"], ["ranked"], 24.0),
    ])?;
    let problem = graph.problem(&["query"], &["choice"])?;
    Scenario::new(graph, problem)?.with_events(vec![Event::BanTool])
}
