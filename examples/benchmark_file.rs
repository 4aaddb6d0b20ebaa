//! A benchmark in a JSON file: an agent goes through its scenario and plans anew after each call. It and
//! the greedy policy are compared with the optimal run.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::{error::Error, fs};

use tool_graph::{Episode, GreedyRule, Problem, Scenario};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/demo_scenario.json");

fn main() -> Result<(), Box<dyn Error>> {
    let scenario = Scenario::from_json(&fs::read(FILE)?)?;
    let mut episode = Episode::new(&scenario);

    while !episode.goal_reached() && episode.calls_left() > 0 {
        // This agent takes the first tool of the cheapest plan from where it stands.
        let here = Problem { initial: episode.state().clone(), ..scenario.problem().clone() };
        let Some(plan) = episode.graph().optimal_plan(&here)? else { break };
        let Some(&tool) = plan.tools.first() else { break };
        let name = episode.graph().tool_names(&[tool]).concat();

        let reply = episode.call(&name)?;
        println!("{name}: {:?}, cost {}", reply.status, reply.cost);
        if let Some(event) = reply.event {
            println!("  the world changes: {:?}", scenario.events()[event]);
        }
    }

    let answer_is_right = episode.goal_reached();
    let agent = episode.finish(answer_is_right);
    let greedy = scenario.greedy_run(GreedyRule::Chain);
    let optimal = scenario.optimal_run();
    println!("optimal run: {} calls, cost {}", optimal.calls.len(), optimal.total_cost());
    for (name, run) in [("agent", agent), ("greedy policy", greedy)] {
        let scores = run.scores(&optimal)?;
        println!("{name}: {} calls, cost {}", run.calls.len(), run.total_cost());
        println!("  completed: {}", scores.completed);
        println!("  edit distance: {:?}", scores.edit_distance);
    }
    Ok(())
}
