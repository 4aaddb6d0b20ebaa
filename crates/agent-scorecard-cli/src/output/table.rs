//! Formats tables as plain text or as Markdown.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets::NOTHING};

use crate::plain::cell;

/// The format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Columns aligned by spaces.
    Aligned,
    /// Aligned columns within this number of letters, with long cells on several lines.
    Fitted(u16),
    /// GitHub's Markdown.
    Markdown,
}

impl Layout {
    /// Returns a table. The first row is the header.
    pub(crate) fn table(self, rows: impl IntoIterator<Item = Vec<String>>) -> String {
        let rows = rows.into_iter();
        match self {
            Self::Aligned => align(rows, None),
            Self::Fitted(width) => align(rows, Some(width)),
            Self::Markdown => markdown(&rows.collect::<Vec<_>>()),
        }
    }

    /// Converts a text with Markdown tables to Markdown: every line outside the tables becomes a paragraph.
    pub(crate) fn paragraphs(text: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        let mut was_table = false;
        for line in text.lines() {
            if line.trim().is_empty() {
                // Another table may follow.
                was_table = false;
                continue;
            }
            let is_table = line.starts_with('|');
            let continues_table = is_table && was_table;
            if !lines.is_empty() && !continues_table {
                lines.push(String::new());
            }
            lines.push(if is_table { line.to_owned() } else { escaped(line.trim()) });
            was_table = is_table;
        }
        lines.join("\n") + "\n"
    }
}

/// Returns the text with Markdown's special characters escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '*' | '|' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' => {
                escaped.extend(['\\', character]);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Returns the first column to the left, all others to the right.
fn markdown(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for (number, row) in rows.iter().filter(|row| !row.is_empty()).enumerate() {
        text.push('|');
        for column in 0..columns {
            let cell = row.get(column).map_or_else(String::new, |text| cell(text));
            text.push_str(&format!(" {} |", escaped(cell.trim())));
        }
        text.push('\n');
        if number == 0 && columns > 0 {
            text.push_str("| --- |");
            text.push_str(&" ---: |".repeat(columns - 1));
            text.push('\n');
        }
    }
    text
}

/// Aligns columns: the first to the left, all others to the right, with two spaces between columns. The first row is
/// the header. If a width is given, long cells are broken into lines.
fn align(rows: impl Iterator<Item = Vec<String>>, width: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING);
    if let Some(width) = width {
        table.set_width(width).set_content_arrangement(ContentArrangement::Dynamic);
    }
    table.add_rows(rows.map(|row| row.into_iter().map(|text| cell(&text))));
    let last = table.column_count().saturating_sub(1);
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if at < last { 2 } else { 0 }));
        column.set_cell_alignment([CellAlignment::Left, CellAlignment::Right][usize::from(at > 0)]);
    }
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_wide_as_the_terminal_at_most_and_keeps_every_letter() {
        let rows = [
            vec!["run".to_owned(), "what it did".to_owned()],
            vec!["a".to_owned(), "one two three four five six seven".to_owned()],
        ];
        let table = |layout: Layout| layout.table(rows.clone());
        assert_eq!(table(Layout::Fitted(80)), table(Layout::Aligned));
        let fitted = table(Layout::Fitted(20));
        assert!(fitted.lines().all(|line| line.chars().count() <= 20), "{fitted}");
        let words = |text: &str| text.split_whitespace().count();
        assert_eq!(words(&fitted), words(&table(Layout::Aligned)), "{fitted}");
    }

    #[test]
    fn a_markdown_table_has_the_same_cells_and_a_rule_below_its_header() {
        let rows = [
            vec![String::new(), "a_b".into(), "c".into()],
            vec!["x".into(), "*1".into()],
            vec![],
            vec!["y|z".into(), "2".into(), "<3".into()],
        ];
        let expected =
            "|  | a\\_b | c |\n| --- | ---: | ---: |\n| x | \\*1 |  |\n| y\\|z | 2 | &lt;3 |\n";
        assert_eq!(Layout::Markdown.table(rows), expected);
    }
}
