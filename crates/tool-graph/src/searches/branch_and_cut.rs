use crate::searches::plan_weight::PlanWeight;
use crate::searches::reduced_problem::ReducedProblem;
use crate::searches::tool_sets::{Node, ToolSets};
use crate::searches::type_set::TypeSet;

/// The best plan, by a search through sets of tools that are called or not.
///
/// First the least weight of a plan is found. Then its calls are put in order: at each place stands
/// the first tool of the library that is in some plan of that weight with the calls before it. A
/// call that is possible can always be made at once, so that for each tool that is one more search
/// in sets.
///
/// Reference: Haslum, Slaney and Thiébaux (2012), Minimal landmarks for optimal delete-free
/// planning, ICAPS, for plans as sets of tools that meet all landmarks.
pub(crate) fn branch_and_cut(reduced: &ReducedProblem) -> Option<Vec<u32>> {
    if reduced.has_narrow_weights() { search::<u64>(reduced) } else { search::<u128>(reduced) }
}

fn search<W: PlanWeight>(reduced: &ReducedProblem) -> Option<Vec<u32>> {
    let mut sets = ToolSets::<W>::new(reduced);
    let mut root = sets.root();
    let mut plan = sets.best(&mut root)?;
    let unique = sets.is_unique();
    let most = sets.weight_of(&plan);
    let mut state = TypeSet::empty(reduced.types);
    let mut calls: Vec<u32> = Vec::new();
    while !state.contains_all(&reduced.goal) {
        let before = calls.len();
        for tool in 0..reduced.tools.len() as u32 {
            let (needs, yields) =
                (reduced.needs.get(tool as usize), reduced.yields.get(tool as usize));
            let planned = plan.contains(&tool);
            if !planned && (unique || root.is_off(tool))
                || !state.contains_all(needs)
                || state.contains_all(yields)
            {
                continue;
            }
            if !planned {
                match sets.any_with(&root, tool, most) {
                    Some(other) => plan = other,
                    None => {
                        root.turn_off(tool);
                        continue;
                    }
                }
            }
            force(&mut root, tool, unique);
            state.insert_all(yields);
            calls.push(tool);
            break;
        }
        if calls.len() == before {
            // A plan always has a next call.
            return None;
        }
    }
    Some(calls)
}

/// Only needed where other searches follow.
fn force(root: &mut Node, tool: u32, unique: bool) {
    if !unique {
        root.force(tool);
    }
}
