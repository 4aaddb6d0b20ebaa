use std::collections::{HashMap, HashSet};

use crate::searches::{
    best_calls::best_calls,
    chain::Chain,
    effort::Effort,
    landmark_cut::{Groups, LandmarkCut},
    reduced_problem::ReducedProblem,
    type_set::TypeSet,
};

/// Returns the number of plans with the fewest calls; `None` if 128 bits cannot hold it.
pub(crate) fn count_shortest(reduced: ReducedProblem) -> Option<u128> {
    let reduced = reduced.without_costs();
    if let Some(chain) = Chain::new(&reduced) {
        return chain.count_shortest();
    }
    let mut left =
        best_calls(&reduced, &mut Effort::unlimited()).map_or(0, |best| best.calls.len());
    // Plans with tools that another tool can replace count as well.
    let mut cuts = LandmarkCut::<u64>::of_all(&reduced);
    let start = (1u128, Groups::default());
    let mut layer = HashMap::from([(TypeSet::empty(reduced.types), start)]);
    while left > 0 {
        left -= 1;
        let mut next: HashMap<TypeSet, (u128, Groups<u64>)> = HashMap::new();
        let mut far: HashSet<TypeSet> = HashSet::new();
        for (state, (ways, groups)) in &layer {
            for tool in reduced.callable(state) {
                let after = state.with(reduced.yields.get(tool));
                if let Some((sum, _)) = next.get_mut(&after) {
                    *sum = sum.checked_add(*ways)?;
                } else if !far.contains(&after) {
                    // Most groups of the bound carry over from the previous state.
                    let before = Some((groups, tool as u32));
                    if cuts.bound(&after, left as u64, before) <= left as u64 {
                        next.insert(after, (*ways, cuts.groups().clone()));
                    } else {
                        far.insert(after);
                    }
                }
            }
        }
        layer = next;
    }
    let done = layer.into_iter().filter(|(state, _)| state.contains_all(&reduced.goal));
    done.map(|(_, (ways, _))| ways).try_fold(0u128, u128::checked_add)
}
