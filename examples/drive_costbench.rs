//! Put your agent in: a closure, which stands for the call of a model or of an agent framework, drives
//! conversations of CostBench, and the figures of the paper come out.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::{collections::BTreeMap, error::Error};

use agent_benchmarks::{
    Arguments, Conversation, Intervals, Level, ParameterKind, RecordedCall, Reply, Request, Seed,
    Value,
    costbench::{CostBench, CostBenchFigures, Split, queries},
};

fn main() -> Result<(), Box<dyn Error>> {
    let bench = CostBench::new(2)?;
    let mut records = Vec::new();
    for query in &queries(Split::Test, 42)[..40] {
        // The agent: it takes the first tool in the list whose result it does not hold.
        let agent = |request: &Request| {
            let lines = request.messages[1..].iter().flat_map(|message| message.text.lines());
            let held: BTreeMap<_, _> = lines.filter_map(|line| line.split_once(": ")).collect();
            if let Some(id) = held.get(query.task().goal()) {
                return Reply { text: format!("<answer>{id}</answer>"), ..Reply::default() };
            }
            let is_held =
                |text: &str| held.keys().any(|it| text.contains(&format!("Returns {it}.")));
            let mut reply = Reply { text: "I am stuck.".to_owned(), ..Reply::default() };
            if let Some(tool) = request.tools.iter().find(|tool| !is_held(&tool.description)) {
                let arguments = tool.parameters.iter().map(|it| {
                    let value = match &it.kind {
                        // A model reads the preferences from the query; this agent is told.
                        ParameterKind::Choice(words) => {
                            let preferences = query.preferences.values();
                            words.iter().find(|word| preferences.contains(&word.as_str())).cloned()
                        }
                        _ => held.get(it.name.as_str()).map(|id| (*id).to_owned()),
                    };
                    (it.name.clone(), Value::Text(value.unwrap_or_default()))
                });
                let arguments = Arguments::Parsed(Value::Map(arguments.collect()));
                reply.tool_calls.push(RecordedCall::new(&tool.name, arguments));
            }
            reply
        };

        let instance = bench.instance(query);
        let mut conversation = instance.conversation();
        while let Some(request) = conversation.request() {
            let reply = agent(request);
            conversation.reply(reply)?;
        }
        records.push(conversation.finish());
    }
    let how = Intervals { level: Level::new(0.95)?, resamples: 1_000, seed: Seed(1) };
    for row in CostBenchFigures::of(&records, how)? {
        for (measure, figure) in row.figures {
            match figure {
                Ok(figure) => println!("{}: {figure:.3}", measure.label),
                Err(reason) => println!("{}: undefined, because {reason}", measure.label),
            }
        }
    }
    Ok(())
}
