//! One self-contained page: no script, nothing from elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::{
    figure::{Figure, Mark},
    picture::{inline_svg, page_colours},
    table::{Cell, Output, Part, Table},
};

/// A report for people.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// The heading of the page, and its title.
    pub(crate) title: String,
    /// What was measured, in a sentence or two.
    pub(crate) lead: Cell,
    /// The parts of the page.
    pub(crate) sections: Vec<Section>,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub(crate) notes: Vec<String>,
}

/// One part of a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section {
    /// What there is to see.
    pub(crate) title: String,
    /// The figures, side by side if there is room.
    pub(crate) figures: Vec<Drawn>,
    /// Numbers beside those of the figures.
    pub(crate) table: Option<Table>,
    /// How figures and table are read.
    pub(crate) note: String,
}

/// A figure of the JSON output.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    /// Whose figure it is, if a section has several.
    pub(crate) name: String,
    /// Where the figure stands in the output.
    pub(crate) pointer: String,
    /// The figure.
    pub(crate) figure: Figure,
}

const STYLE: &str = include_str!("page.css");

impl Page {
    /// The page as HTML, which is well-formed XML too. `output` is what the page was made of.
    pub(crate) fn to_html(&self, output: Output<'_>) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    (PreEscaped("<meta charset=\"utf-8\"/>"))
                    (PreEscaped("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"))
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { (self.title) }
                        p class="lead" { (cell(&self.lead)) }
                        @for section in &self.sections { (section_html(section, output)) }
                        @if !self.notes.is_empty() {
                            section {
                                h2 { "What to know before quoting these figures" }
                                ul { @for note in &self.notes { li { (note) } } }
                            }
                        }
                        footer { "agent-scorecard " (env!("CARGO_PKG_VERSION")) }
                    }
                }
            }
        };
        page.into_string()
    }
}

fn section_html(section: &Section, output: Output<'_>) -> Markup {
    html! {
        section {
            h2 { (section.title) }
            @if !section.figures.is_empty() {
                div class="figures" {
                    @for drawn in &section.figures { (figure_html(drawn, output)) }
                }
            }
            @if let Some(table) = &section.table { (table_html(table)) }
            @if !section.note.is_empty() { p class="note" { (section.note) } }
        }
    }
}

fn figure_html(drawn: &Drawn, output: Output<'_>) -> Markup {
    let figure = &drawn.figure;
    let described = format!(
        "{}{}{}. Horizontal axis: {}. Vertical axis: {}. The numbers are in the table below.",
        drawn.name,
        if drawn.name.is_empty() { "" } else { ": " },
        figure.title,
        figure.x.label,
        figure.y.label,
    );
    html! {
        figure {
            figcaption {
                @if !drawn.name.is_empty() { h3 { (drawn.name) } }
                ul class="key" {
                    @for (series, colour) in page_colours(figure) {
                        li { (swatch(series.mark, colour)) (series.name) }
                    }
                }
            }
            div role="img" aria-label=(described) { (PreEscaped(inline_svg(figure, &drawn.pointer.replace('/', "-")))) }
            details {
                summary { "Numbers of this figure" }
                (table_html(&numbers(drawn, output)))
            }
        }
    }
}

/// What a series looks like, in front of its name.
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

/// The numbers of a figure: a row per point of each series.
fn numbers(drawn: &Drawn, output: Output<'_>) -> Table {
    let figure = &drawn.figure;
    let is_category = !figure.x.categories.is_empty();
    let mut table = Table::new(["series", &figure.x.label, &figure.y.label, "from", "to"]);
    let has_ends = figure.series.iter().any(|series| !series.low.is_empty());
    if !has_ends {
        table.header.truncate(3);
    }
    for (s, series) in figure.series.iter().enumerate() {
        let columns: Vec<&str> = series.columns().map(|(name, _)| name).collect();
        for (i, x) in series.x.iter().enumerate() {
            let cell = |name: &str| {
                if !columns.contains(&name) {
                    return Cell::text("");
                }
                output.number(&format!("{}/series/{s}/{name}/{i}", drawn.pointer)).into()
            };
            let category = figure.x.categories.get(x.round().max(0.0) as usize);
            let position = match category.filter(|_| is_category) {
                Some(name) => Cell::text(name.as_str()),
                None => cell("x"),
            };
            let is_bar_of_category = is_category && series.mark == Mark::Bars;
            let end = |name| if is_bar_of_category { Cell::text("") } else { cell(name) };
            let cells = [position, cell("y"), end("low"), end("high")];
            table.push(&series.name, cells.into_iter().take(table.header.len() - 1));
        }
    }
    table
}

fn table_html(table: &Table) -> Markup {
    html! {
        div class="scroll" tabindex="0" {
            table {
                thead { tr { @for heading in &table.header { th scope="col" { (heading) } } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (i, content) in row.iter().enumerate() {
                                @if i == 0 { th scope="row" { (cell(content)) } }
                                @else { td { (cell(content)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(Cell(parts): &Cell) -> Markup {
    html! {
        @for part in parts {
            @match part {
                Part::Text(text) => (text),
                Part::Number { pointer, text } => span data-json=(pointer) { (text) },
            }
        }
    }
}
