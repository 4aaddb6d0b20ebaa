//! Formats a report as text: lines, tables and notes.

use agent_scorecard::{Account, Better, Cell, Heading, Measure, Metric, Report, Row, Table};

use crate::{output::table::Layout, plain};

/// Returns the report in this layout.
pub(crate) fn report(report: &Report, layout: Layout) -> String {
    let mut text = String::new();
    for sentence in &report.conclusion {
        text.push_str(&format!("{}\n", plain::line(sentence)));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let account = report.account.iter().flat_map(Account::lines);
    text.extend(account.map(|line| format!("{}\n", plain::line(&line))));
    for line in report.lines() {
        text.push_str(&format!("{}\n", plain::line(&line)));
    }
    let tables = report.tables();
    text.push_str(&format!("{}{}\n", report.lead, legend(report, &tables)));
    for Table { title, header, rows, note, .. } in tables {
        text.push('\n');
        if !title.is_empty() {
            text.push_str(&format!("{}\n", plain::line(&title)));
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
            text.push_str(&format!("{}\n", plain::line(&note)));
        }
    }
    let blocks = report.columns.iter().map(|column| &column.block).chain([&report.together]);
    for (at, line) in blocks.flat_map(|block| &block.details).enumerate() {
        text.push_str(&format!("{}{}\n", if at == 0 { "\n" } else { "" }, plain::line(line)));
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
        (has(|better| matches!(better, Better::Near(at) if at != 0.0)), "(=) near the claim"),
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
