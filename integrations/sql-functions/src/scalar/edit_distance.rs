use datafusion_common::Result;
use trajectory_metrics::tool_calls::edit_distance;

use crate::{
    argument_kinds::{Argument, Kind},
    arguments::{Arguments, TextLists},
    scalar::function::RowFunction,
    specification::Specification,
};

/// `edit_distance(actual, reference)`.
pub(crate) struct EditDistanceOfRow;

pub(crate) struct EditColumns<'a> {
    lists: [TextLists<'a>; 2],
    /// Memory for the texts of a row.
    actual: Vec<&'a str>,
    reference: Vec<&'a str>,
}

impl RowFunction for EditDistanceOfRow {
    type Columns<'a> = EditColumns<'a>;
    type Output = i64;

    const SPECIFICATION: Specification = Specification {
        name: "edit_distance",
        arguments: &[
            Argument::new("actual", Kind::Texts, "The tool calls of the agent, in order."),
            Argument::new("reference", Kind::Texts, "The tool calls of the reference, in order."),
        ],
        required: 2,
        description: "The Levenshtein distance between two sequences of tool calls: the least number of \
                      insertions, deletions and replacements. Lower is better, at least 0.",
        example: "SELECT edit_distance(['search', 'open'], ['search', 'read', 'open'])",
    };

    fn columns<'a>(arguments: &Arguments<'a>) -> Result<Self::Columns<'a>> {
        let lists = [arguments.text_lists(0)?, arguments.text_lists(1)?];
        Ok(EditColumns { lists, actual: Vec::new(), reference: Vec::new() })
    }

    fn value(columns: &mut Self::Columns<'_>, row: usize) -> Result<i64> {
        let EditColumns { lists: [actuals, references], actual, reference } = columns;
        actuals.fill(row, actual)?;
        references.fill(row, reference)?;
        Ok(edit_distance(actual, reference) as i64)
    }
}
