//! What a triage report says in words.

use knapsack_oracle::{PlanReading, Repair};

use crate::triage::figures::AtAlpha;

/// What is undefined or left out at one share of the budget, and why.
pub(crate) fn note(at: &AtAlpha, notes: &mut Vec<String>) {
    let AtAlpha { pools, planned, kinds: [informative, nothing, optimal], .. } = *at;
    let place = at.place();
    if planned < pools {
        notes.push(format!(
            "{place}: {} of {pools} pools have no plan that can be executed and are left out of \
             eta and regret",
            pools - planned
        ));
    }
    if nothing > 0 {
        notes.push(format!(
            "{place}: nothing is solvable within the budget in {nothing} of {planned} pools; \
             eta is 1 there by convention, and they have no regret"
        ));
    }
    if optimal > 0 {
        notes.push(format!(
            "{place}: a random planner earns as much as the oracle in {optimal} of {planned} \
             pools; eta is 1 there by convention if the plan does too, otherwise 0"
        ));
    }
    if informative == 0 {
        notes.push(format!(
            "{place}: eta_*_informative is null, as eta is undefined in every pool with a plan"
        ));
    }
    if planned == 0 {
        notes.push(format!("{place}: eta and regret are null, as there is no plan"));
    } else if nothing == planned {
        notes.push(format!("{place}: regret is null, as nothing is solvable in any pool"));
    }
    if at.above_oracle > 0 {
        notes.push(format!(
            "{place}: eta_enforced and regret_enforced are null: in {} pools the attempts that were \
             cut off earned more than the oracle, which knows the baseline attempts only",
            at.above_oracle
        ));
    }
    if let Some((used, assumed)) = at.capped.filter(|&(_, assumed)| assumed > 0) {
        notes.push(format!(
            "{place}: {used} attempts of the enforced regime have the outcome of a capped run; for \
             {assumed} others there is no such run, and they count as solved if the baseline \
             attempt solved the problem at a cost of at most the allocation"
        ));
    }
    if let Some(counts) = &at.unsolvable {
        for (name, rate) in
            [("detection_rate", counts.detection_rate()), ("waste_rate", counts.waste_rate())]
        {
            if let Err(error) = rate {
                notes.push(format!("{place}: {name} is null: {error}"));
            }
        }
    }
    if planned == 1 {
        notes.push(format!("{place}: standard errors and intervals need two pools with a plan"));
    }
}

/// How a text was read.
pub(crate) const fn name_of_reading(reading: Option<&PlanReading>) -> &'static str {
    match reading {
        None => "missing",
        Some(PlanReading::Plan { repairs, .. }) if repairs.is_empty() => "as_asked",
        Some(PlanReading::Plan { .. }) => "repaired",
        Some(PlanReading::OverBudget { .. }) => "over_budget",
        Some(PlanReading::DuplicateId { .. }) => "duplicate_id",
        Some(_) => "unparseable",
    }
}

/// What was repaired.
pub(crate) const fn name_of_repair(repair: &Repair) -> &'static str {
    match repair {
        Repair::TextStripped { .. } => "text_stripped",
        Repair::SeveralPlans { .. } => "several_plans",
        Repair::CutOff { .. } => "cut_off",
        Repair::TrailingCommas { .. } => "trailing_commas",
        Repair::SingleQuotes { .. } => "single_quotes",
        Repair::PaddedId { .. } => "padded_id",
        Repair::OtherName { .. } => "other_name",
        Repair::EntryDropped { .. } => "entry_dropped",
        Repair::UnknownId { .. } => "unknown_id",
        Repair::ExtraFields { .. } => "extra_fields",
        Repair::Allocation { .. } => "allocation",
        _ => "other",
    }
}
