use crate::graph::problem::Problem;
use crate::graph::state::State;
use crate::graph::tool_graph::ToolGraph;

/// What can be had and called from a start, if calls cost nothing.
pub(crate) struct Reach {
    /// By tool, how many of its needs cannot be had; `usize::MAX` for a banned tool.
    pub(crate) lacks: Vec<usize>,
    /// By data type, whether it can be had.
    pub(crate) reached: Vec<bool>,
}

impl Reach {
    /// By counting what each tool still lacks. Linear time. The state must be one of the graph.
    pub(crate) fn new(graph: &ToolGraph, initial: &State) -> Self {
        let types = graph.type_names().len();
        // What can be reached, by counting what each tool still lacks.
        let waiting = graph.waiting();
        let mut lacks = Vec::with_capacity(graph.tool_count());
        let mut reached = vec![false; types];
        let mut open: Vec<u32> = initial.iter().map(|number| number as u32).collect();
        open.iter().for_each(|&number| reached[number as usize] = true);
        let mut ready: Vec<u32> = Vec::new();
        for tool in 0..graph.tool_count() {
            let available = graph.is_available(tool);
            lacks.push(if available { graph.needs(tool).len() } else { usize::MAX });
            if lacks[tool] == 0 {
                ready.push(tool as u32);
            }
        }
        loop {
            while let Some(tool) = ready.pop() {
                for &number in graph.yields(tool as usize) {
                    if !reached[number as usize] {
                        reached[number as usize] = true;
                        open.push(number);
                    }
                }
            }
            let Some(number) = open.pop() else { break };
            for &tool in waiting.get(number as usize) {
                lacks[tool as usize] -= 1;
                if lacks[tool as usize] == 0 {
                    ready.push(tool);
                }
            }
        }
        Self { lacks, reached }
    }
}

/// The first goal that cannot be reached, and what is missing on the way to it: a data type that no
/// available tool yields, or one that all tools need which lead to it.
pub(crate) fn out_of_reach(graph: &ToolGraph, problem: &Problem) -> Option<(usize, usize)> {
    let Reach { reached, .. } = Reach::new(graph, problem.initial());
    let goal = problem.goal().iter().find(|&number| !reached[number])?;
    let mut seen = vec![false; reached.len()];
    seen[goal] = true;
    let mut open = vec![goal];
    while let Some(number) = open.pop() {
        let tools = graph.yielded_by().get(number).iter().map(|&tool| tool as usize);
        let mut any = false;
        for tool in tools.filter(|&tool| graph.is_available(tool)) {
            any = true;
            for &need in graph.needs(tool) {
                let need = need as usize;
                if !reached[need] && !seen[need] {
                    seen[need] = true;
                    open.push(need);
                }
            }
        }
        if !any {
            return Some((goal, number));
        }
    }
    // The tools that lead to the goal need each other's outputs in a circle.
    Some((goal, goal))
}
