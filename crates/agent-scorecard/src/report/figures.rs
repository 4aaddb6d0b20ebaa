use trajectory_metrics::{Figure, Measure, Undefined};

use crate::report::{
    block::{Block, Report, Value},
    tables::escaped,
};

/// A figure of a report (a value with its interval), and its location in the report.
#[derive(Clone, Debug)]
pub struct PlacedFigure {
    /// The name of its column, or of the part of a column; empty for a figure on all columns together.
    pub column: String,
    /// The path of keys to the figure in the column, separated by dots, such as `auroc` or `difference.auroc`.
    pub name: String,
    /// The location in the JSON object, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The measure of the figure.
    pub measure: Measure,
    /// The figure, or the reason why it is undefined. A figure that has only bounds has the value NaN.
    pub figure: Result<Figure, Undefined>,
}

impl Report {
    /// Returns all figures. The figures of the columns come before those on all columns together.
    #[must_use]
    pub fn figures(&self) -> Vec<PlacedFigure> {
        let mut found = Vec::new();
        let of_columns = self.columns_and_parts();
        let places = of_columns.flat_map(|(column, parts)| std::iter::once(column).chain(parts));
        for place in places.chain([self.whole()]) {
            found_in(place.block, &place.name, "", &place.pointer, &mut found);
        }
        found
    }

    /// Returns the figure at this JSON pointer (RFC 6901) of the report.
    #[must_use]
    pub fn placed(&self, pointer: &str) -> Option<PlacedFigure> {
        // Of two columns, the only difference also stands under the name of the second.
        let named = pointer.strip_prefix("/differences/").and_then(|rest| rest.split_once('/'));
        let alone = named.map(|(_, rest)| format!("/difference/{rest}"));
        let at = |pointer: &str| self.figures().into_iter().find(|it| it.pointer == pointer);
        at(pointer).or_else(|| at(alone.as_deref()?))
    }
}

fn found_in(block: &Block, column: &str, name: &str, place: &str, found: &mut Vec<PlacedFigure>) {
    for field in &block.fields {
        let name =
            if name.is_empty() { field.key.to_string() } else { format!("{name}.{}", field.key) };
        let pointer = format!("{place}/{}", escaped(&field.key));
        let column = column.to_owned();
        let mut of_row = |at: usize, row: &Block| {
            let (name, place) = (format!("{name}.{at}"), format!("{pointer}/{at}"));
            found_in(row, &column, &name, &place, found);
        };
        match &field.value {
            &Value::Figure(measure, ref figure) => {
                let figure = figure.clone();
                found.push(PlacedFigure { column, name, pointer, measure, figure });
            }
            &Value::Bounds(measure, ref ends) => {
                let of_ends = |&ends| Figure { interval: Ok(ends), ..Figure::from(f64::NAN) };
                let figure = ends.as_ref().map(of_ends).map_err(Clone::clone);
                found.push(PlacedFigure { column, name, pointer, measure, figure });
            }
            Value::Block(block) => found_in(block, &column, &name, &pointer, found),
            Value::Rows { rows, .. } => {
                rows.iter().enumerate().for_each(|(at, row)| of_row(at, row));
            }
            Value::Made(rows) => rows.iter().enumerate().for_each(|(at, row)| of_row(at, &row)),
            Value::Json(_) => {}
        }
    }
}
