//! One self-contained page: no script, nothing from elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use agent_scorecard::{Better, Cell, Heading, Part, Report, Row, Table, shown};

use crate::{
    plain,
    report::{
        figure::{Figure, Mark},
        picture::{inline_svg, page_colours},
    },
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
    pub(crate) table: Option<super::table::Table>,
    /// The tables of a report.
    pub(crate) tables: Vec<Table>,
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

/// Rows of a table in a page.
const MOST_ROWS: usize = 500;

const STYLE: &str = include_str!("page.css");

impl Page {
    /// The page as HTML, which is well-formed XML too.
    pub(crate) fn to_html(&self) -> String {
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
                        @for section in &self.sections { (section_html(section)) }
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

fn section_html(section: &Section) -> Markup {
    html! {
        section {
            h2 { (section.title) }
            @if !section.figures.is_empty() {
                div class="figures" {
                    @for drawn in &section.figures { (figure_html(drawn)) }
                }
            }
            @if let Some(table) = &section.table { (table_html(&table.clone().into())) }
            @for table in &section.tables {
                @if !table.title.is_empty() && table.title != section.title { h3 { (plain::line(&table.title)) } }
                (table_html(table))
                @if table.rows.len() > MOST_ROWS {
                    p class="note" { "The first " (MOST_ROWS) " rows are shown; the JSON output has all." }
                }
                @if !table.note.is_empty() { p class="note" { (plain::line(&table.note)) } }
            }
            @if !section.note.is_empty() { p class="note" { (section.note) } }
        }
    }
}

fn figure_html(drawn: &Drawn) -> Markup {
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
                (table_html(&numbers(drawn)))
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
fn numbers(drawn: &Drawn) -> Table {
    let figure = &drawn.figure;
    let is_category = !figure.x.categories.is_empty();
    let header = ["series", &figure.x.label, &figure.y.label, "from", "to"];
    let mut header: Vec<String> = header.map(str::to_owned).to_vec();
    let has_ends = figure.series.iter().any(|series| !series.low.is_empty());
    if !has_ends {
        header.truncate(3);
    }
    let mut rows = Vec::new();
    for (s, series) in figure.series.iter().enumerate() {
        for (i, x) in series.x.iter().enumerate() {
            let cell = |name: &str| {
                let column = series.columns().find(|(column, _)| *column == name);
                let Some(value) = column.and_then(|(_, column)| column.get(i)) else {
                    return Cell::default();
                };
                let pointer = format!("{}/series/{s}/{name}/{i}", drawn.pointer);
                Cell(vec![Part::Number { pointer, text: shown(*value) }])
            };
            let category = figure.x.categories.get(x.round().max(0.0) as usize);
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

/// Which values are better, behind the name of a measure.
fn direction(better: Better) -> String {
    match better {
        Better::Higher => " (higher is better)".to_owned(),
        Better::Lower => " (lower is better)".to_owned(),
        Better::Near(value) => format!(" (should be {})", shown(value)),
        Better::Neither => String::new(),
    }
}

fn cell(Cell(parts): &Cell) -> Markup {
    html! {
        @for part in parts {
            @match part {
                Part::Text(text) => (plain::cell(text)),
                Part::Number { pointer, text } => span data-json=(pointer) { (text) },
            }
        }
    }
}

/// The page of a report: its tables first, then its pictures, each with those of all columns side by side.
pub(crate) fn of_report(report: &Report) -> Page {
    let mut lead = vec![report.lead.clone()];
    lead.extend(report.columns.iter().flat_map(|column| column.block.lines.iter().cloned()));
    let lead = Cell::text(lead.join(" "));
    let mut sections = Vec::new();
    let tables = report.tables();
    if !tables.is_empty() {
        let title = "Figures".to_owned();
        sections.push(Section { title, tables, ..Section::default() });
    }
    sections.extend(picture_sections(report));
    let notes = report.notes().iter().map(|note| plain::line(note).into_owned()).collect();
    Page { title: report.title.clone(), lead, sections, notes }
}

/// A section for each picture of the report or of one of its columns.
fn picture_sections(report: &Report) -> Vec<Section> {
    let places = report.pictured();
    let mut names: Vec<&str> = report.main_pictures.clone();
    for name in places.iter().flat_map(|place| place.block.pictures.keys()) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.retain(|name| places.iter().any(|place| place.block.pictures.contains_key(*name)));
    let section = |name: &&str| {
        let drawn = places.iter().filter_map(|place| {
            let figure = place.block.pictures.get(*name)?.clone();
            let pointer = format!("{}/curves/{name}", place.pointer);
            Some(Drawn { name: plain::line(&place.name).into_owned(), pointer, figure })
        });
        let mut figures: Vec<Drawn> = drawn.collect();
        let first = &figures[0].figure;
        let (mut title, note) = (first.title.clone(), first.note.clone());
        if let [single] = figures.as_mut_slice() {
            single.name.clear();
        } else if figures.iter().any(|drawn| drawn.figure.title != title) {
            // What differs stands before the question: "run-7: 12 turns. Do the intervals hold …?"
            for drawn in &mut figures {
                if let Some((own, question)) = drawn.figure.title.rsplit_once(". ") {
                    drawn.name = format!("{}: {own}", drawn.name);
                    title = question.to_owned();
                }
            }
        }
        Section { title, figures, note, ..Section::default() }
    };
    names.iter().map(section).collect()
}
