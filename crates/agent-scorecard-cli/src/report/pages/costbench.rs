//! The page of `costbench`.

use crate::report::{
    figure::{Axis, Figure, Figures, Mark, Series},
    page::{Page, Section},
    pages::common::{
        Place, figure_section, key_table, notes, number_at, rows_table, sentence, words,
    },
    table::{Cell, Output, Table},
};

const KEYS: [(&str, &str); 12] = [
    ("queries", "queries"),
    ("mean_optimal_cost", "mean cost of the optimal plan"),
    ("cost_gap", "mean cost beyond it (lower is better)"),
    ("aed", "mean edit distance from the optimal plan (lower is better)"),
    ("aned", "mean normalized edit distance (lower is better)"),
    ("emr", "share of queries with the optimal plan (higher is better)"),
    ("blocked/queries", "under events: queries"),
    ("blocked/completed", "under events: share that reached the goal (higher is better)"),
    ("blocked/aed", "under events: mean edit distance (lower is better)"),
    ("blocked/aned", "under events: mean normalized edit distance (lower is better)"),
    ("blocked/emr", "under events: share with the optimal run (higher is better)"),
    ("gt_ned", "distance of the optimal run under events from the plan"),
];

const ROW: [(&str, &str); 14] = [
    ("noise_std", "noise"),
    ("seed", "seed"),
    ("queries", "queries"),
    ("completed/estimate", "completed"),
    ("cost_gap/estimate", "cost gap"),
    ("cost_gap/interval/0", "from"),
    ("cost_gap/interval/1", "to"),
    ("aed/estimate", "edit distance"),
    ("aned/estimate", "normalized"),
    ("aned/interval/0", "from"),
    ("aned/interval/1", "to"),
    ("emr/estimate", "exact match"),
    ("tool_calls/estimate", "calls"),
    ("gt_ned", "distance of the optimum"),
];

const FIGURES: [(&str, &str); 3] =
    [("cost_gap_by_length", "length"), ("cost_gap_by_noise", "noise"), ("distance_by_event", "")];

/// The page.
pub(super) fn page(output: Output<'_>) -> Page {
    let places = [Place { name: String::new(), pointer: String::new() }];
    let mut sections = Vec::new();
    if let Some(table) = key_table(output, &places, &KEYS).filter(|table| table.rows.len() > 1) {
        sections.push(Section {
            title: "How much more than the optimum does the greedy policy cost?".to_owned(),
            table: Some(table),
            note: "Distances are between the sequences of calls.".to_owned(),
            ..Section::default()
        });
    }
    if let Some(mut section) = figure_section(output, &places, "plan") {
        section.table = calls(output);
        sections.push(section);
    }
    sections.extend(FIGURES.iter().filter_map(|(name, _)| figure_section(output, &places, name)));
    for group in 0..output.len("/groups") {
        let list = format!("/groups/{group}/rows");
        let rows = (0..output.len(&list)).map(|row| {
            let pointer = format!("{list}/{row}");
            (row_name(output, &pointer), pointer)
        });
        sections.push(Section {
            title: format!("Sweep over {}", changed(output.text(&format!("/groups/{group}/name")))),
            table: rows_table(output, rows, "tasks", &ROW),
            ..Section::default()
        });
    }
    let lead = sentence([words(
        "A greedy policy against the cheapest plan, over the queries of CostBench.",
    )]);
    let title = "Costs of tool plans".to_owned();
    Page { title, lead, sections, notes: notes(output, &places) }
}

/// What the settings of a group differ in.
fn changed(group: &str) -> &str {
    match group {
        "length" => "the length of tasks",
        "noise" => "the noise of costs",
        "block" => "the kind of event",
        "blocks" => "the number of events",
        "seed" => "the seed",
        other => other,
    }
}

fn row_name(output: Output<'_>, pointer: &str) -> String {
    let level = number_at(output, &format!("{pointer}/refinement_level")).unwrap_or(0.0);
    let steps = level + 3.0;
    match number_at(output, &format!("{pointer}/blocks")) {
        Some(blocks) if blocks > 0.0 => {
            format!("{steps} steps, {blocks} {}", output.text(&format!("{pointer}/block")))
        }
        _ => format!("{steps} steps"),
    }
}

/// The calls of the query that is drawn, where the output lists paths.
fn calls(output: Output<'_>) -> Option<Table> {
    output.at("/paths/0")?;
    let mut table = Table::new(["call", "optimal plan", "agent's path"]);
    let [optimal, greedy] = ["/paths/0/optimal", "/paths/0/greedy"];
    for call in 0..output.len(optimal).max(output.len(greedy)) {
        let cell = |list: &str| Cell::text(output.text(&format!("{list}/{call}")).to_owned());
        table.push((call + 1).to_string(), [cell(optimal), cell(greedy)]);
    }
    let cost = |path: &str| Cell(vec![output.number(&format!("/paths/0/{path}_cost"))]);
    table.push("cost", [cost("optimal"), cost("greedy")]);
    Some(table)
}

/// The figures that follow from the output.
pub(super) fn figures(output: Output<'_>) -> Figures {
    let mut figures = Figures::new();
    for group in 0..output.len("/groups") {
        let list = format!("/groups/{group}/rows");
        let at = |row: usize, key: &str| number_at(output, &format!("{list}/{row}/{key}"));
        let n = output.len(&list);
        let estimate = |row: usize, key: &str| {
            let value = at(row, &format!("{key}/estimate"))?;
            let low = at(row, &format!("{key}/interval/0")).unwrap_or(value);
            let high = at(row, &format!("{key}/interval/1")).unwrap_or(value);
            Some([value, low, high])
        };
        let curve = |x: &dyn Fn(usize) -> Option<f64>| {
            let points = (0..n).filter_map(|row| {
                let [value, low, high] = estimate(row, "cost_gap")?;
                Some([x(row)?, value, low, high])
            });
            Series::with_intervals("greedy policy, 95 % intervals", Mark::LineDots, points)
        };
        let name = output.text(&format!("/groups/{group}/name"));
        let (key, figure) = match name {
            "length" => (
                "cost_gap_by_length",
                Figure {
                    title: "Cost gap by length: do longer tasks cost more beyond the optimum?"
                        .to_owned(),
                    x: Axis::new("steps of a task"),
                    y: Axis::new("mean cost beyond the optimum"),
                    series: vec![curve(&|row| Some(at(row, "refinement_level")? + 3.0))],
                    note: "Lower is better; 0 is the cheapest plan.".to_owned(),
                },
            ),
            "noise" => (
                "cost_gap_by_noise",
                Figure {
                    title: "Cost gap by noise: do noisy costs of composite tools mislead?"
                        .to_owned(),
                    x: Axis::new("standard deviation of the noise"),
                    y: Axis::new("mean cost beyond the optimum"),
                    series: vec![curve(&|row| at(row, "noise_std"))],
                    note: "Lower is better; 0 is the cheapest plan.".to_owned(),
                },
            ),
            _ => continue,
        };
        if !figure.is_empty() {
            figures.insert(key.to_owned(), figure);
        }
    }
    if let Some(figure) = by_event(output) {
        figures.insert("distance_by_event".to_owned(), figure);
    }
    figures
}

/// The distance of paths by number of events, one line per kind.
fn by_event(output: Output<'_>) -> Option<Figure> {
    let mut kinds: Vec<(String, Vec<[f64; 4]>)> = Vec::new();
    for group in 0..output.len("/groups") {
        for row in 0..output.len(&format!("/groups/{group}/rows")) {
            let pointer = format!("/groups/{group}/rows/{row}");
            let at = |key: &str| number_at(output, &format!("{pointer}/{key}"));
            let (Some(blocks), Some(value)) = (at("blocks"), at("aned/estimate")) else { continue };
            if blocks == 0.0 {
                continue;
            }
            let low = at("aned/interval/0").unwrap_or(value);
            let high = at("aned/interval/1").unwrap_or(value);
            let kind = output.text(&format!("{pointer}/block"));
            let point = [blocks, value, low, high];
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                // Each number of events once, with the first seed.
                Some((_, points)) if points.iter().any(|known| known[0] == blocks) => {}
                Some((_, points)) => points.push(point),
                None => kinds.push((kind.to_owned(), vec![point])),
            }
        }
    }
    let series: Vec<Series> = kinds
        .into_iter()
        .map(|(kind, points)| {
            Series::with_intervals(kind.replace('-', " "), Mark::LineDots, points)
        })
        .collect();
    (!series.is_empty()).then(|| Figure {
        title: "Distance by event: which changes of the world throw the policy off?".to_owned(),
        x: Axis::new("events during a run"),
        y: Axis::new("normalized edit distance").with_range(0.0, 1.0),
        series,
        note: "Distance between the greedy run and the optimal run, both under the same events. Lower is better.".to_owned(),
    })
}
