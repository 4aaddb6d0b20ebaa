//! Refuses comparisons of texts with numbers.

use datafusion::{
    arrow::datatypes::DataType,
    common::{
        DFSchema, DataFusionError, Result,
        tree_node::{TreeNode, TreeNodeRecursion},
    },
    logical_expr::{Expr, ExprSchemable, LogicalPlan, Operator, utils::merge_schema},
};

use crate::error::Problem;

/// Refuses a plan that compares texts with numbers. The engine reads such texts as numbers, for which the ids `001` and
/// `1` are equal. The columns of these names are texts of folders, which may be numbers.
///
/// # Errors
///
/// The first such comparison.
pub(crate) fn check(plan: &LogicalPlan, folders: &[String]) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        let inputs = node.inputs();
        let schema = if inputs.is_empty() { &**node.schema() } else { &merge_schema(&inputs) };
        if let LogicalPlan::Join(join) = node {
            join.on.iter().try_for_each(|(left, right)| of_pair(left, right, schema, folders))?;
        }
        node.apply_expressions(|expr| {
            expr.apply(|inner| {
                of_expression(inner, schema, folders).map(|()| TreeNodeRecursion::Continue)
            })
        })
    })
    .map(drop)
}

fn of_expression(expr: &Expr, schema: &DFSchema, folders: &[String]) -> Result<()> {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};

    match expr {
        Expr::BinaryExpr(it) => match it.op {
            Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom => {
                of_pair(&it.left, &it.right, schema, folders)
            }
            _ => Ok(()),
        },
        Expr::Between(it) => {
            of_pair(&it.expr, &it.low, schema, folders)?;
            of_pair(&it.expr, &it.high, schema, folders)
        }
        Expr::InList(it) => {
            it.list.iter().try_for_each(|value| of_pair(&it.expr, value, schema, folders))
        }
        Expr::Case(it) => it.expr.iter().try_for_each(|expr| {
            it.when_then_expr.iter().try_for_each(|(when, _)| of_pair(expr, when, schema, folders))
        }),
        Expr::InSubquery(it) => {
            let found = it.subquery.subquery.schema();
            let values = found.columns().first().cloned().map(Expr::Column);
            values.map_or(Ok(()), |values| {
                of_types(
                    (&it.expr, it.expr.get_type(schema).ok()),
                    (&values, values.get_type(&**found).ok()),
                    folders,
                )
            })
        }
        _ => Ok(()),
    }
}

fn of_pair(left: &Expr, right: &Expr, schema: &DFSchema, folders: &[String]) -> Result<()> {
    of_types((left, left.get_type(schema).ok()), (right, right.get_type(schema).ok()), folders)
}

/// A text of the query itself is no column of ids: the engine refuses it unless it is a number.
fn of_types(
    left: (&Expr, Option<DataType>),
    right: (&Expr, Option<DataType>),
    folders: &[String],
) -> Result<()> {
    let is_text = |(expr, it): &(&Expr, Option<DataType>)| match expr {
        Expr::Literal(..) => false,
        Expr::Column(column) if folders.contains(&column.name) => false,
        _ => it.as_ref().is_some_and(is_text),
    };
    let is_number =
        |(_, it): &(&Expr, Option<DataType>)| it.as_ref().is_some_and(DataType::is_numeric);
    let shown = |expr: &Expr| expr.human_display().to_string();
    for (text, number) in [(&left, &right), (&right, &left)] {
        if is_text(text) && is_number(number) {
            let problem = Problem::Comparison(shown(text.0), shown(number.0));
            return Err(DataFusionError::External(Box::new(problem)));
        }
    }
    Ok(())
}

fn is_text(it: &DataType) -> bool {
    match it {
        DataType::Dictionary(_, values) => is_text(values),
        it => it.is_string(),
    }
}
