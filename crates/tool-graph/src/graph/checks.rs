use std::{collections::HashMap, hash::BuildHasherDefault};

use crate::{
    error::Error,
    graph::{lists::Lists, tool::Tool, word_hasher::WordHasher},
};

/// Numbers for names.
type Numbers<'a> = HashMap<&'a str, u32, BuildHasherDefault<WordHasher>>;

/// A library with numbers instead of names, checked except for its costs.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) type_names: Vec<String>,
    pub(crate) needs: Lists,
    pub(crate) yields: Lists,
    pub(crate) components: Lists,
}

pub(crate) fn check(tools: &[Tool]) -> Result<Parts, Error> {
    if tools.is_empty() {
        return Err(scoring_rules::Error::Empty.into());
    }
    let mut names = Numbers::default();
    for (position, tool) in tools.iter().enumerate() {
        if tool.name.is_empty() {
            let problem = format!("tool {position}, counted from 0, has an empty name; name it");
            return Err(Error::tool(&tool.name, problem));
        }
        if names.insert(&tool.name, position as u32).is_some() {
            let problem = format!("two tools are named {:?}; names must be unique", tool.name);
            return Err(Error::tool(&tool.name, problem));
        }
    }
    let mut types = Numbers::default();
    let mut type_names = Vec::new();
    let mut needs = Lists::default();
    let mut yields = Lists::default();
    let mut components = Lists::default();
    let mut numbers: Vec<u32> = Vec::new();
    for tool in tools {
        let lists = [("input", &tool.inputs, &mut needs), ("output", &tool.outputs, &mut yields)];
        for (kind, declared, list) in lists {
            let refused = |problem: &str| {
                let problem = format!("tool {:?} has {problem}", tool.name);
                Error::tool(&tool.name, problem)
            };
            numbers.clear();
            for name in declared {
                if name.is_empty() {
                    return Err(refused(&format!(
                        "an {kind} with an empty name; name its data type"
                    )));
                }
                let next = types.len() as u32;
                let number = *types.entry(name).or_insert(next);
                if number == next {
                    type_names.push(name.clone());
                }
                numbers.push(number);
            }
            numbers.sort_unstable();
            if let Some(pair) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
                let name = &type_names[pair[0] as usize];
                return Err(refused(&format!(
                    "the {kind} {name:?} twice; list each data type once"
                )));
            }
            list.push(numbers.iter().copied());
        }
        numbers.clear();
        for component in &tool.components {
            numbers.push(*names.get(component.as_str()).ok_or_else(|| {
                let problem = format!(
                    "the component {component:?} of tool {:?} is not in the library; add the component to the \
                     library or remove it from the tool",
                    tool.name
                );
                Error::tool(&tool.name, problem)
            })?);
        }
        components.push(numbers.iter().copied());
    }
    let parts = Parts { type_names, needs, yields, components };
    if let Some(tool) = on_a_cycle(&parts.components) {
        let name = &tools[tool].name;
        let problem =
            format!("tool {name:?} contains itself; remove the cycle from its components");
        return Err(Error::tool(name, problem));
    }
    // For each data type, the last composite tool, counted from 1, in which it was present.
    let mut present = vec![0; parts.type_names.len()];
    for tool in 0..tools.len() {
        if !parts.components.get(tool).is_empty() {
            check_composite(tools, &parts, tool, &mut present)?;
        }
    }
    Ok(parts)
}

fn check_composite(
    tools: &[Tool],
    parts: &Parts,
    tool: usize,
    present: &mut [usize],
) -> Result<(), Error> {
    let mark = tool + 1;
    let missing = |present: &[usize], list: &[u32]| {
        let missing = list.iter().find(|&&number| present[number as usize] != mark);
        missing.map(|&number| &parts.type_names[number as usize])
    };
    let name = &tools[tool].name;
    parts.needs.get(tool).iter().for_each(|&number| present[number as usize] = mark);
    for &component in parts.components.get(tool) {
        let component = component as usize;
        if let Some(input) = missing(present, parts.needs.get(component)) {
            let component = &tools[component].name;
            let problem = format!(
                "the input {input:?} is missing when tool {name:?} runs its component {component:?}; the input \
                 must be an input of the tool or an output of an earlier component"
            );
            return Err(Error::tool(name, problem));
        }
        parts.yields.get(component).iter().for_each(|&number| present[number as usize] = mark);
    }
    match missing(present, parts.yields.get(tool)) {
        Some(output) => {
            let problem = format!(
                "tool {name:?} declares the output {output:?}, but none of its components yields it; remove the \
                 output or add a component that yields it"
            );
            Err(Error::tool(name, problem))
        }
        None => Ok(()),
    }
}

/// Returns a tool on a cycle of components, if there is one.
///
/// Removes tools whose components are all removed, as long as there are any.
fn on_a_cycle(components: &Lists) -> Option<usize> {
    let tools = components.len();
    if (0..tools).all(|tool| components.get(tool).is_empty()) {
        return None;
    }
    let used_in = components.transposed(tools);
    let mut open: Vec<usize> = (0..tools).map(|tool| components.get(tool).len()).collect();
    let mut done: Vec<usize> = (0..tools).filter(|&tool| open[tool] == 0).collect();
    while let Some(component) = done.pop() {
        for &tool in used_in.get(component) {
            open[tool as usize] -= 1;
            if open[tool as usize] == 0 {
                done.push(tool as usize);
            }
        }
    }
    // The remaining tools are on a cycle or contain one; following components leads onto the cycle.
    let mut tool = (0..tools).find(|&tool| open[tool] > 0)?;
    for _ in 0..tools {
        let left = components.get(tool).iter().find(|&&component| open[component as usize] > 0);
        tool = left.map_or(tool, |&component| component as usize);
    }
    Some(tool)
}
