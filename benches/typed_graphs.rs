//! Random graphs of typed tools: several kinds, as one way to search can be lucky with one kind.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tool_graph::{Problem, Tool, ToolGraph};

/// How the tools of a graph are drawn.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    types: u32,
    tools: u32,
    /// Types that are there from the start.
    start: u32,
    goals: u32,
    /// The most types that a tool needs.
    needs: u32,
    /// Needs are drawn from this many types before the one that is yielded.
    window: u32,
    /// Every so many tools also go back: their needs come after what they yield.
    backward: Option<u32>,
    /// The most further types that a tool yields.
    extra: u32,
    cost: Cost,
}

#[derive(Clone, Copy)]
enum Cost {
    /// From this to that many cents.
    Between(u32, u32),
    /// A multiple of this many cents, up to that many times.
    Steps(u32, u32),
    /// By how far the tool leads, with noise of a tenth.
    Length,
}

const PLAIN: Kind = Kind {
    name: "near needs",
    types: 60,
    tools: 200,
    start: 4,
    goals: 2,
    needs: 3,
    window: 8,
    backward: None,
    extra: 1,
    cost: Cost::Between(500, 2000),
};

/// Graphs of 60 types and 200 tools.
pub(crate) const KINDS: [Kind; 10] = [
    PLAIN,
    Kind { name: "nearer needs", window: 5, ..PLAIN },
    Kind { name: "far needs", window: 20, goals: 6, ..PLAIN },
    Kind { name: "many needs", needs: 5, window: 12, goals: 1, ..PLAIN },
    Kind { name: "one cost", cost: Cost::Steps(100, 1), ..PLAIN },
    Kind { name: "three costs", cost: Cost::Steps(100, 3), window: 6, ..PLAIN },
    Kind { name: "many yields", extra: 3, window: 6, goals: 4, ..PLAIN },
    Kind { name: "cost by length", cost: Cost::Length, extra: 0, ..PLAIN },
    Kind { name: "circles", backward: Some(3), window: 6, ..PLAIN },
    Kind {
        name: "any cost",
        cost: Cost::Between(0, 10_000),
        window: 5,
        needs: 2,
        goals: 5,
        ..PLAIN
    },
];

/// Many tools for the same types.
pub(crate) const LARGE: Kind = Kind { name: "large", tools: 10_000, ..PLAIN };

impl Kind {
    /// The same with so many tools.
    pub(crate) fn of(self, tools: usize) -> Self {
        Self { tools: tools as u32, ..self }
    }

    pub(crate) fn graph(&self, seed: u64) -> (ToolGraph, Problem) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut below = |bound: u32| ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32;
        let name = |number: u32| format!("type{number}");
        let made = self.types - self.start;
        let tools = (0..self.tools)
            .map(|tool| {
                // Each type is yielded by a tool at least.
                let output = self.start + if tool < made { tool } else { below(made) };
                let back = self.backward.is_some_and(|every| tool >= made && below(every) == 0);
                let mut far = 0;
                let mut inputs: Vec<String> = (0..1 + below(self.needs))
                    .map(|_| {
                        let step = if back {
                            output + 1 + below(self.window)
                        } else {
                            output - 1 - below(output.min(self.window))
                        };
                        far = far.max(step.abs_diff(output));
                        name(step.min(self.types - 1))
                    })
                    .collect();
                let mut outputs = vec![name(output)];
                for _ in 0..below(self.extra + 1).min(below(self.extra + 1) + below(2)) {
                    outputs.push(name(self.start + below(output - self.start + 1)));
                }
                distinct(&mut inputs);
                distinct(&mut outputs);
                let cents = match self.cost {
                    Cost::Between(low, high) => low + below(high - low),
                    Cost::Steps(step, times) => step * (1 + below(times)),
                    Cost::Length => far * (90 + below(21)),
                };
                Tool::new(format!("tool{tool}"), inputs, outputs, f64::from(cents) / 100.0)
            })
            .collect();
        let graph = ToolGraph::new(tools).unwrap();
        let start: Vec<String> = (0..self.start).map(name).collect();
        let goals: Vec<String> = (self.types - self.goals..self.types).map(name).collect();
        let problem = graph.problem(&start, &goals).unwrap();
        (graph, problem)
    }
}

/// Drops all but the first mention of each name.
fn distinct(names: &mut Vec<String>) {
    let mut known = std::collections::HashSet::new();
    names.retain(|name| known.insert(name.clone()));
}

/// Steps one after the other, with so many tools for each.
pub(crate) fn chain(steps: usize, twins: usize) -> (ToolGraph, Problem) {
    let tool = |number: usize| {
        let step = number / twins;
        let (input, output) = (format!("type{step}"), format!("type{}", step + 1));
        Tool::new(format!("tool{number}"), [input], [output], (1 + number % 7) as f64)
    };
    let graph = ToolGraph::new((0..steps * twins).map(tool).collect()).unwrap();
    let problem = graph.problem(&["type0".to_owned()], &[format!("type{steps}")]).unwrap();
    (graph, problem)
}
