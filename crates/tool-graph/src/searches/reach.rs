use crate::graph::{problem::Problem, state::State, tool_graph::ToolGraph};

/// The data types and tools that can be reached from a state, regardless of cost.
pub(crate) struct Reach {
    /// For each tool, the number of inputs that cannot be reached; a huge number for a banned tool.
    pub(crate) lacks: Vec<usize>,
    /// For each data type, whether it can be reached.
    pub(crate) reached: Vec<bool>,
}

impl Reach {
    /// Linear time. The state must belong to the graph.
    pub(crate) fn new(graph: &ToolGraph, initial: &State) -> Self {
        let types = graph.type_names().len();
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

/// Returns the first unreachable data type of the goal, and the data type that is missing. No available tool
/// yields the latter, or it is the goal itself if its tools depend on each other in a cycle.
pub(crate) fn out_of_reach(graph: &ToolGraph, problem: &Problem) -> Option<(usize, usize)> {
    let Reach { reached, .. } = Reach::new(graph, &problem.initial);
    let goal = problem.goal.iter().find(|&number| !reached[number])?;
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
    // The tools that lead to the goal depend on each other in a cycle.
    Some((goal, goal))
}
