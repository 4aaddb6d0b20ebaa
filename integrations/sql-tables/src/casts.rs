//! Refuses casts that nobody wrote and that change what a value means.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::{
    arrow::datatypes::DataType,
    common::{
        Result,
        tree_node::{TreeNode, TreeNodeRecursion},
    },
    execution::SessionState,
    logical_expr::{Expr, ExprSchemable, LogicalPlan, utils::merge_schema},
};

use crate::error::Problem;

/// Refuses a plan in which the engine itself reads texts as numbers, for which the ids `001` and `1` are equal, or
/// numbers as dates. Columns of these names are texts of folders, which may be numbers.
///
/// # Errors
///
/// The first such cast, or what the engine finds wrong with the plan.
pub(crate) fn check(
    plan: &LogicalPlan,
    state: &SessionState,
    folders: &BTreeSet<String>,
) -> Result<(), Problem> {
    let plan = match plan {
        LogicalPlan::Explain(it) => &*it.plan,
        plan => plan,
    };
    let written = casts(plan)?;
    let analyzer = state.analyzer();
    let plan = analyzer.execute_and_check(plan.clone(), state.config_options(), |_, _| {})?;
    let found = casts(&plan)?.into_iter().find(|(of, _)| {
        !written.contains_key(of) && !of.iter().all(|column| folders.contains(column))
    });
    found.map_or(Ok(()), |(_, problem)| Err(problem))
}

/// The casts of a plan that change what a value means, by the names of the columns that are cast.
fn casts(plan: &LogicalPlan) -> Result<BTreeMap<BTreeSet<String>, Problem>> {
    let mut found = BTreeMap::new();
    plan.apply_with_subqueries(|node| {
        let inputs = node.inputs();
        let schema = if inputs.is_empty() { &**node.schema() } else { &merge_schema(&inputs) };
        node.apply_expressions(|expr| {
            expr.apply(|inner| {
                let (of, to) = match inner {
                    Expr::Cast(it) => (&it.expr, it.field.data_type()),
                    Expr::TryCast(it) => (&it.expr, it.field.data_type()),
                    _ => return Ok(TreeNodeRecursion::Continue),
                };
                let Ok(from) = of.get_type(schema) else { return Ok(TreeNodeRecursion::Continue) };
                let mut columns = BTreeSet::new();
                of.apply(|part| {
                    match part {
                        Expr::Column(it) | Expr::OuterReferenceColumn(_, it) => {
                            columns.insert(it.name.clone());
                        }
                        _ => {}
                    }
                    Ok(TreeNodeRecursion::Continue)
                })?;
                let shown = match &**of {
                    Expr::OuterReferenceColumn(_, column) => column.to_string(),
                    other => other.human_display().to_string(),
                };
                // A text of the query itself is no id of a row.
                if reads(&from, to, &|from, to| from.is_string() && to.is_numeric())
                    && !columns.is_empty()
                {
                    found.entry(columns).or_insert(Problem::TextAsNumber(shown));
                } else if reads(&from, to, &|from, to| from.is_integer() && to.is_temporal()) {
                    let columns = BTreeSet::from([shown.clone()]);
                    found.entry(columns).or_insert(Problem::NumberAsDate(shown));
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}

/// Whether a cast, or that of a part of it, is of such types.
fn reads(from: &DataType, to: &DataType, is: &impl Fn(&DataType, &DataType) -> bool) -> bool {
    use DataType::{Dictionary, FixedSizeList, LargeList, List, ListView, Struct};

    match (from, to) {
        (Dictionary(_, from), to) => reads(from, to, is),
        (
            List(from) | LargeList(from) | ListView(from) | FixedSizeList(from, _),
            List(to) | LargeList(to) | ListView(to) | FixedSizeList(to, _),
        ) => reads(from.data_type(), to.data_type(), is),
        (Struct(from), Struct(to)) => {
            from.iter().zip(to).any(|(from, to)| reads(from.data_type(), to.data_type(), is))
        }
        (from, to) => is(from, to),
    }
}
