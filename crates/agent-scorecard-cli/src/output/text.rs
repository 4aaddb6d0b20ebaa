//! Formats a report as text: lines, tables and notes.

use agent_scorecard::{
    Account, Better, Cell, Heading, Measure, Metric, Position, Report, Row, Table,
};
use comfy_table::{CellAlignment, ContentArrangement, presets::NOTHING};

use crate::plain::{self, cell};

/// Returns the report in this layout.
pub(crate) fn report(report: &Report, layout: Layout) -> String {
    let line = |text: &str| format!("{}\n", plain::line(text));
    let mut text: String = report.conclusion.iter().map(|sentence| line(sentence)).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    let account = report.account.iter().flat_map(Account::lines);
    text.extend(account.chain(report.lines()).map(|of_runs| line(&of_runs)));
    let tables = report.tables();
    text.push_str(&format!("{}{}\n", report.lead, legend(report, &tables)));
    for Table { title, header, rows, note, .. } in tables {
        text.push('\n');
        if !title.is_empty() {
            text.push_str(&line(&title));
        }
        // Of a million rows each is freed as the next form of it is made.
        let rows = rows.into_iter().map(|Row { heading, cells }| {
            let heading = heading.map(|heading| match heading {
                Heading::Text(text) => text.into_owned(),
                Heading::Measure(measure) => name(&measure),
            });
            heading.into_iter().chain(cells.iter().map(Cell::plain)).collect()
        });
        text.push_str(&layout.table(std::iter::once(header).chain(rows)));
        if !note.is_empty() {
            text.push_str(&line(&note));
        }
    }
    let blocks = report.columns.iter().map(|column| &column.block).chain([&report.together]);
    for (at, detail) in blocks.flat_map(|block| block.said(Position::Detail)).enumerate() {
        text.push_str(&format!("{}{}", if at == 0 { "\n" } else { "" }, line(detail)));
    }
    let notes = report.notes();
    if !notes.is_empty() {
        text.push('\n');
    }
    text + &notes.iter().map(|note| plain::note(note)).collect::<String>()
}

/// Returns the key of a measure, which conditions use, with the sign of its direction. If the label continues after the
/// words of the key, as in "average precision of failures", so does the name.
fn name(measure: &Measure) -> String {
    let Measure { key, label, better, .. } = measure;
    let split = label.find(" of ").map(|at| label.split_at(at));
    let of = split.filter(|(start, _)| start.replace(' ', "_") == *key).map_or("", |(_, of)| of);
    match better {
        Better::Neither => format!("{key}{of}"),
        better => format!("{key}{of} ({better})"),
    }
}

/// Returns the explanation of the signs in the tables.
fn legend(report: &Report, tables: &[Table]) -> String {
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let has = |test: fn(Better) -> bool| {
        rows().any(|row| matches!(&row.heading, Some(Heading::Measure(it)) if test(it.better)))
    };
    let signs = [
        (has(|better| better == Better::Higher), "(+) higher is better"),
        (has(|better| better == Better::Lower), "(-) lower is better"),
        (
            has(|better| matches!(better, Better::Near(at) if at != 0.0)),
            "(=) near the nominal value",
        ),
        (has(|better| better == Better::Near(0.0)), "(0) near 0"),
    ];
    let signs = signs.into_iter().filter(|(has, _)| *has).map(|(_, sign)| sign);
    let terms = report.terms(tables);
    let error = terms.iter().find(|[name, _]| *name == "SE").map(|term| term.join(" "));
    let signs: Vec<&str> =
        report.star(tables).into_iter().chain(signs).chain(error.as_deref()).collect();
    if signs.is_empty() { String::new() } else { format!("; {}", signs.join(", ")) }
}

/// Returns the rows of a report with their descriptions, as the end of the help text of a subcommand.
pub(crate) fn rows<E>(metrics: &[Metric<E>]) -> String {
    let measures: Vec<Measure> = metrics.iter().map(|metric| metric.measure).collect();
    format!("\n{}", help(&measures))
}

/// Returns the measures of a report with their descriptions, as a paragraph of the help text of a subcommand.
pub(crate) fn help(measures: &[Measure]) -> String {
    let width = measures.iter().map(|measure| measure.key.len()).max().unwrap_or(0);
    let line = |Measure { key, help, .. }: &Measure| format!("{key:width$}  {help}\n");
    measures.iter().map(line).collect()
}

/// The format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Columns aligned by spaces.
    Aligned,
    /// Aligned columns within this number of letters, with long cells on several lines.
    Fitted(u16),
    /// GitHub's Markdown.
    Markdown,
}

impl Layout {
    /// Returns a table. The first row is the header.
    #[must_use]
    pub fn table(self, rows: impl IntoIterator<Item = Vec<String>>) -> String {
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
    let mut table = comfy_table::Table::new();
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
