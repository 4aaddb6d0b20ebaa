//! What a triage report says in words.

use knapsack_oracle::{PlanReading, Repair};

use crate::triage::AtAlpha;

/// What is undefined or left out at one share of the budget, and why.
pub(crate) fn note(at: &AtAlpha, notes: &mut Vec<String>) {
    let AtAlpha { alpha, pools, planned, kinds: [informative, nothing, optimal], .. } = *at;
    if planned < pools {
        notes.push(format!(
            "alpha {alpha}: {} of {pools} pools have no plan that can be executed and are left out of \
             eta and regret",
            pools - planned
        ));
    }
    if nothing > 0 {
        notes.push(format!(
            "alpha {alpha}: nothing is solvable within the budget in {nothing} of {planned} pools; \
             eta is 1 there by convention, and they have no regret"
        ));
    }
    if optimal > 0 {
        notes.push(format!(
            "alpha {alpha}: a random planner earns as much as the oracle in {optimal} of {planned} \
             pools; eta is 1 there by convention if the plan does too, otherwise 0"
        ));
    }
    if informative == 0 {
        notes.push(format!(
            "alpha {alpha}: eta_*_informative is null, as eta is undefined in every pool with a plan"
        ));
    }
    if planned == 0 {
        notes.push(format!("alpha {alpha}: eta and regret are null, as there is no plan"));
    } else if nothing == planned {
        notes.push(format!("alpha {alpha}: regret is null, as nothing is solvable in any pool"));
    }
    if planned == 1 {
        notes.push(format!(
            "alpha {alpha}: standard errors and intervals need two pools with a plan"
        ));
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
