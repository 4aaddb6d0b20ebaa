//! Report pages: one self-contained HTML file, without scripts or external resources.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use agent_scorecard::{
    Better, Cell, Drawing, Drawings, Heading, Mark, Part, Picture, Report, Row, Table, shown,
};

use crate::plain;

/// The number of lines of the run counts above which further lines are folded.
const MOST_LINES: usize = 6;

/// The maximum number of rows of a table in a page.
const MOST_ROWS: usize = 500;

const STYLE: &str = include_str!("page.css");

/// Returns the page of a report as HTML, which is also well-formed XML: tables first, then pictures, with the pictures of
/// all columns side by side.
pub(crate) fn of_report(report: &Report) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (PreEscaped("<meta charset=\"utf-8\"/>"))
                (PreEscaped("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"))
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (report.title) }
                    (opening(report))
                    (figures(report))
                    @for drawings in report.drawings() { (section(&drawings)) }
                    (notes(report))
                    footer { "agent-scorecard " (env!("CARGO_PKG_VERSION")) }
                }
            }
        }
    };
    page.into_string()
}

/// Returns the page without its style and pictures, as a part of another page.
pub(crate) fn part_of_report(report: &Report) -> String {
    let part = html! {
        div class="agent-scorecard" { (opening(report)) (figures(report)) (notes(report)) }
    };
    part.into_string()
}

/// Returns the conclusion, the line on the measurement, and the counts of runs.
fn opening(report: &Report) -> Markup {
    let lines = report.lines();
    let counts = html! { ul class="counts" { @for line in &lines { li { (plain::line(line)) } } } };
    html! {
        @if !report.conclusion.is_empty() {
            div class="conclusion" {
                @for sentence in &report.conclusion { p { (plain::line(sentence)) } }
            }
        }
        @if let Some(account) = &report.account {
            ul class="counts" { @for line in account.lines() { li { (plain::line(&line)) } } }
        }
        p class="lead" { (plain::line(&report.lead)) }
        @if lines.len() > MOST_LINES {
            details { summary { "What was read: " (lines.len()) " lines" } (counts) }
        } @else if !lines.is_empty() { (counts) }
    }
}

/// Returns the tables, and the definitions of their names.
fn figures(report: &Report) -> Markup {
    let tables = report.tables();
    html! {
        @if !tables.is_empty() {
            section {
                h2 { "Figures" }
                @if let Some(star) = report.star(&tables) { p class="note" { (star) } }
                @for table in &tables { (titled_table(table)) }
                (terms(&report.terms(&tables)))
            }
        }
    }
}

fn notes(report: &Report) -> Markup {
    let notes = report.notes();
    html! {
        @if !notes.is_empty() {
            section {
                h2 { "What to know before quoting these figures" }
                ul { @for note in &notes { li { (plain::line(note)) } } }
            }
        }
    }
}

/// Returns the folded definitions of the names of rows and columns.
fn terms(terms: &[[&str; 2]]) -> Markup {
    html! {
        @if !terms.is_empty() {
            details {
                summary { "What the names mean" }
                dl { @for [name, meaning] in terms { dt { (name) } dd { (meaning) } } }
            }
        }
    }
}

fn titled_table(table: &Table) -> Markup {
    html! {
        @if !table.title.is_empty() { h3 { (plain::line(&table.title)) } }
        (table_html(table))
        @if table.rows.len() > MOST_ROWS {
            p class="note" { "The first " (MOST_ROWS) " rows are shown; the JSON output has all." }
        }
        @if !table.note.is_empty() { p class="note" { (plain::line(&table.note)) } }
    }
}

fn figure_html(drawing: &Drawing) -> Markup {
    let drawn = &Drawing {
        name: plain::line(&drawing.name).into_owned(),
        picture: plain::picture(&drawing.picture),
        pointers: drawing.pointers.clone(),
    };
    html! {
        figure {
            figcaption {
                @if !drawn.name.is_empty() { h3 { (drawn.name) } }
                (legend(&drawn.picture))
            }
            (svg(drawn))
            details {
                summary { "Numbers of this figure" }
                (table_html(&numbers(drawn)))
            }
        }
    }
}

#[cfg(feature = "pictures")]
fn legend(picture: &Picture) -> Markup {
    // One set of bars is named by its axis.
    let is_named = matches!(&picture.series[..], [bars] if bars.mark == Mark::Bars && bars.name == picture.y.label);
    html! {
        @if !is_named { ul class="key" {
            @for (series, colour) in picture.page_colours() {
                li { (swatch(series.mark, colour)) (series.name) }
            }
        } }
    }
}

#[cfg(feature = "pictures")]
fn svg(Drawing { name, pointers, picture }: &Drawing) -> Markup {
    let described = format!(
        "{name}{}{}. Horizontal axis: {}. Vertical axis: {}. The numbers are in the table below.",
        if name.is_empty() { "" } else { ": " },
        picture.title,
        picture.x.label,
        picture.y.label,
    );
    let id = pointers.first().map_or_else(String::new, |pointer| pointer.replace('/', "-"));
    let svg = picture.inline_svg(&id);
    html! { div role="img" aria-label=(described) { (PreEscaped(svg)) } }
}

#[cfg(not(feature = "pictures"))]
fn legend(_: &Picture) -> Markup {
    html! {}
}

#[cfg(not(feature = "pictures"))]
fn svg(_: &Drawing) -> Markup {
    html! { p class="note" { "No picture: the program that wrote this page was built without its feature pictures." } }
}

/// Returns a sample of a series, shown before its name.
#[cfg(feature = "pictures")]
fn swatch(mark: Mark, colour: &str) -> Markup {
    let kind = match mark {
        Mark::Band => "band",
        Mark::Bars => "bar",
        Mark::Dots => "dot",
        Mark::Reference => "dash",
        _ => "line",
    };
    html! { i class={ "swatch " (kind) } style={ "color:" (colour) } {} }
}

/// Returns the numbers of a figure: a row per point of each series.
fn numbers(drawn: &Drawing) -> Table {
    let picture = &drawn.picture;
    let is_category = !picture.x.categories.is_empty();
    let header = ["series", &picture.x.label, &picture.y.label, "from", "to"];
    let mut header: Vec<String> = header.map(str::to_owned).to_vec();
    let has_ends = picture.series.iter().any(|series| !series.low.is_empty());
    if !has_ends {
        header.truncate(3);
    }
    let mut rows = Vec::new();
    for (series, pointer) in picture.series.iter().zip(&drawn.pointers) {
        for (i, x) in series.x.iter().enumerate() {
            let cell = |name: &str| {
                let column = series.columns().find(|(column, _)| *column == name);
                let Some(value) = column.and_then(|(_, column)| column.get(i)) else {
                    return Cell::default();
                };
                let pointer = format!("{pointer}/{name}/{i}");
                Cell(vec![Part::Number { pointer, text: shown(*value) }])
            };
            let category = picture.x.categories.get(x.round().max(0.0) as usize);
            let position = match category.filter(|_| is_category) {
                Some(name) => Cell::text(name.clone()),
                None => cell("x"),
            };
            let is_bar_of_category = is_category && series.mark == Mark::Bars;
            let end = |name| if is_bar_of_category { Cell::default() } else { cell(name) };
            let cells = [position, cell("y"), end("low"), end("high")];
            let heading = Some(Heading::Text(series.name.clone().into()));
            let cells = cells.into_iter().take(header.len() - 1).collect();
            rows.push(Row { heading, cells });
        }
    }
    Table { header, rows, ..Table::default() }
}

fn table_html(table: &Table) -> Markup {
    html! {
        div class="scroll" tabindex="0" {
            table {
                thead { tr { @for heading in &table.header { th scope="col" { (plain::cell(heading)) } } } }
                tbody {
                    @for row in table.rows.iter().take(MOST_ROWS) {
                        tr {
                            @match &row.heading {
                                Some(Heading::Measure(measure)) => {
                                    th scope="row" title=(measure.help) {
                                        (measure.label) (direction(measure.better))
                                    }
                                }
                                Some(Heading::Text(text)) => th scope="row" { (plain::cell(text)) },
                                None => {}
                            }
                            @for (i, content) in row.cells.iter().enumerate() {
                                @if row.heading.is_none() && i == 0 { th scope="row" { (cell(content)) } }
                                @else { td { (cell(content)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the better direction, shown after the name of a measure.
fn direction(better: Better) -> String {
    match better {
        Better::Higher => " (higher is better)".to_owned(),
        Better::Lower => " (lower is better)".to_owned(),
        Better::Near(value) => format!(" (should be {})", shown(value)),
        Better::Neither => String::new(),
    }
}

/// Returns a cell; in its narrow column, the interval is below the value.
fn cell(Cell(parts): &Cell) -> Markup {
    let at =
        |bracket: &str| parts.iter().position(|it| *it == Part::Text(bracket.to_owned().into()));
    let (value, ends, error) = match (at(" ["), at("]")) {
        (Some(first), Some(last)) => (&parts[..first], &parts[first..=last], &parts[last + 1..]),
        _ => (parts.as_slice(), &[][..], &[][..]),
    };
    html! {
        (pieces(value))
        @if !ends.is_empty() { " " span class="ends" { (pieces(ends)) } }
        @if !error.is_empty() { span class="error" { (pieces(error)) } }
    }
}

fn pieces(parts: &[Part]) -> Markup {
    html! {
        @for part in parts {
            @match part {
                Part::Text(text) => (plain::cell(text)),
                Part::Number { pointer, text } => span data-json=(plain::line(pointer)) { (text) },
            }
        }
    }
}

/// Returns a section for the pictures with the same name.
fn section(Drawings { title, drawings, note }: &Drawings) -> Markup {
    html! {
        section {
            h2 { (plain::line(title)) }
            div class="figures" { @for drawing in drawings { (figure_html(drawing)) } }
            @if !note.is_empty() { p class="note" { (plain::line(note)) } }
        }
    }
}
