//! Random libraries with many ties, and the best plan by Dijkstra's algorithm over the sets of data types, made of
//! public parts alone.

use std::{cmp::Reverse, collections::BTreeSet, collections::BinaryHeap};

use scoring_rules::decimals::Decimal;
use tool_graph::{EnvironmentRules, Error, Event, Problem, RuleVersion, Tool, ToolGraph};

/// SplitMix64.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        ((u128::from(word) * bound as u128) >> 64) as usize
    }
}

/// A graph with up to `types` data types and up to `tools` tools, which mostly lead from lower to higher
/// data types, with few distinct costs including 0, and one to three goals. Some graphs are chains.
pub(crate) fn random_tools(
    draw: &mut Draw,
    types: usize,
    tools: usize,
) -> (ToolGraph, Result<Problem, Error>) {
    let types = types / 2 + draw.below(types - types / 2) + 1;
    let tools = tools / 2 + draw.below(tools - tools / 2) + 1;
    let chain = draw.below(4) == 0;
    let kinds = [1, 3, 1000][draw.below(3)];
    let list = (0..tools)
        .map(|tool| {
            let output = 1 + draw.below(types);
            let mut inputs = Vec::new();
            for _ in 0..if chain { 1 } else { [0, 1, 1, 2, 2, 3][draw.below(6)] } {
                let below = if draw.below(8) == 0 && !chain { types + 1 } else { output };
                // Inputs are close to the output, so that plans are long.
                let back = 1 + draw.below(3.min(below));
                let input = format!("t{}", (below - back));
                if !inputs.contains(&input) {
                    inputs.push(input);
                }
            }
            let mut outputs = vec![format!("t{output}")];
            if !chain && draw.below(4) == 0 {
                let more = format!("t{}", draw.below(types + 1));
                if !outputs.contains(&more) {
                    outputs.push(more);
                }
            }
            let cost = draw.below(kinds) as f64 / 100.0 + [0.0, 0.1][draw.below(2)];
            Tool::new(format!("tool{tool}"), inputs, outputs, cost)
        })
        // Rounds the costs to cents.
        .map(|tool| Tool { cost: (tool.cost * 100.0).round() / 100.0, ..tool })
        .collect();
    let graph = ToolGraph::new(list).unwrap();
    let mut goals = vec![format!("t{types}")];
    if !chain {
        for _ in 0..draw.below(3) {
            goals.push(format!("t{}", draw.below(types + 1)));
        }
    }
    let problem = graph.problem(&["t0".to_owned()], &goals);
    (graph, problem)
}

/// Up to five events of all kinds for a graph.
pub(crate) fn random_events(draw: &mut Draw, graph: &ToolGraph) -> Vec<Event> {
    let (events, tools) = (draw.below(6), graph.tool_count());
    let event = |_| match draw.below(4) {
        0 => Event::BanTool,
        1 => Event::PreferenceChange,
        2 => Event::CostChange((0..tools).map(|_| draw.below(1000) as f64 / 100.0).collect()),
        // In any order, and some tools twice.
        _ => Event::RemoveTools((0..draw.below(4)).map(|_| draw.below(tools)).collect()),
    };
    (0..events).map(event).collect()
}

pub(crate) fn random_rules(draw: &mut Draw) -> EnvironmentRules {
    let mut version = || [RuleVersion::PaperText, RuleVersion::Released][draw.below(2)];
    EnvironmentRules {
        visible_tools: version(),
        banned_tools: version(),
        failed_calls: version(),
        event_clock: version(),
        greedy_restart: version(),
        event_schedule: version(),
        removals: version(),
        unfinished_runs: version(),
        repeated_bans: version(),
        counted_runs: version(),
        unknown_bans: version(),
    }
}

/// The calls with the lowest exact cost, among these the fewest, and among these the first in library order.
pub(crate) fn dijkstra(graph: &ToolGraph, problem: &Problem) -> Option<Vec<usize>> {
    let costs = graph.tools().into_iter().map(|it| Decimal::shortest(it.cost).without_zeros());
    let costs: Vec<Decimal> = costs.collect();
    let used = costs.iter().filter(|cost| cost.units != 0);
    let least = used.map(|cost| cost.exponent).min().unwrap_or(0);
    let in_units = |cost: &Decimal| match cost.units {
        0 => 0,
        units => units * 10_i128.pow((cost.exponent - least) as u32),
    };
    let costs: Vec<i128> = costs.iter().map(in_units).collect();
    // A call always adds to the number of calls, so the first way to a state is the best one.
    let mut open = BinaryHeap::from([Reverse((0, 0, Vec::new(), problem.initial.clone()))]);
    let mut done = BTreeSet::new();
    while let Some(Reverse((cost, calls, path, state))) = open.pop() {
        if state.is_superset(&problem.goal) {
            return Some(path);
        }
        if !done.insert(state.clone()) {
            continue;
        }
        for (tool, more) in costs.iter().enumerate() {
            let mut next = state.clone();
            if graph.can_call(tool, &state) && graph.apply(tool, &mut next).unwrap() {
                let path = path.iter().copied().chain([tool]).collect();
                open.push(Reverse((cost + more, calls + 1, path, next)));
            }
        }
    }
    None
}
