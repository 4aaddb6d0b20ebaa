use crate::searches::{
    effort::Effort, plan_weight::PlanWeight, reduced_problem::ReducedProblem, tool_sets::ToolSets,
    type_set::TypeSet,
};

/// The best known calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BestCalls {
    pub(crate) calls: Vec<u32>,
    /// A cost that every plan has at least, in units of the costs.
    pub(crate) lowest_cost: u128,
    /// Whether no plan is better.
    pub(crate) is_best: bool,
}

/// Finds the best plan by branching on whether a tool is called.
///
/// The search first finds the least weight of a plan. Then the calls are fixed one by one. Each call is the
/// first possible tool in the library for which some plan of this weight contains the tool and all calls
/// before it. A possible call can always be made at once, so each such test is one more search over sets of
/// tools.
///
/// If the effort does not suffice, the best known plan is returned with a lower bound.
///
/// Reference: Haslum, Slaney and Thiébaux (2012), Minimal landmarks for optimal delete-free
/// planning, ICAPS, for plans as sets of tools that meet all landmarks.
pub(crate) fn branch_and_cut(reduced: &ReducedProblem, effort: &mut Effort) -> Option<BestCalls> {
    if reduced.has_narrow_weights() {
        search::<u64>(reduced, effort)
    } else {
        search::<u128>(reduced, effort)
    }
}

fn search<W: PlanWeight>(reduced: &ReducedProblem, effort: &mut Effort) -> Option<BestCalls> {
    let mut sets = ToolSets::<W>::new(reduced, effort);
    let mut root = sets.root();
    let mut plan = sets.best(&mut root)?;
    let unique = sets.unique;
    let most = sets.weight_of(&plan);
    let lowest = if sets.gave_up { sets.lowest } else { most };
    let mut state = TypeSet::empty(reduced.types);
    let mut calls: Vec<u32> = Vec::new();
    while !state.contains_all(&reduced.goal) {
        let before = calls.len();
        for tool in 0..reduced.tools.len() as u32 {
            let (needs, yields) =
                (reduced.needs.get(tool as usize), reduced.yields.get(tool as usize));
            let planned = plan.contains(&tool);
            if !planned && (unique || root.is_off(tool) || sets.gave_up)
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
            if !unique && !sets.gave_up {
                // Only further searches use the root.
                root.force(tool);
            }
            state.insert_all(yields);
            calls.push(tool);
            break;
        }
        if calls.len() == before {
            // Cannot happen: a plan always has a next call.
            return None;
        }
    }
    let lowest = reduced.cost_of(reduced.round_up(lowest.wide()));
    Some(BestCalls { calls, lowest_cost: lowest, is_best: !sets.gave_up })
}
