//! The page of `triage`.

use crate::report::{
    figure::{Axis, Figure, Figures, Mark, Series},
    page::{Page, Section},
    pages::common::{
        Place, figure_section, key_table, notes, number_at, rows_table, sentence, words,
    },
    table::Output,
};

const COLUMNS: [(&str, &str); 13] = [
    ("eta_advisory", "efficiency, advisory"),
    ("eta_advisory_ci_low", "from"),
    ("eta_advisory_ci_high", "to"),
    ("eta_enforced", "efficiency, enforced"),
    ("eta_enforced_ci_low", "from"),
    ("eta_enforced_ci_high", "to"),
    ("regret_advisory", "regret, advisory"),
    ("regret_enforced", "regret, enforced"),
    ("oracle", "oracle value"),
    ("random_exact", "random value"),
    ("pools", "pools"),
    ("planned_pools", "with a plan"),
    ("informative_pools", "informative"),
];

/// The page.
pub(super) fn page(output: Output<'_>) -> Page {
    let places = [Place { name: String::new(), pointer: String::new() }];
    let rows = |list: &str| {
        let of = |i: usize| {
            let pointer = format!("{list}/{i}");
            let alpha = number_at(output, &format!("{pointer}/alpha")).unwrap_or(f64::NAN);
            let ratio = number_at(output, &format!("{pointer}/ratio"));
            let ratio = ratio.map(|ratio| format!(", {ratio} unsolvable")).unwrap_or_default();
            (format!("{alpha}{ratio}"), pointer)
        };
        (0..output.len(list)).map(of).collect::<Vec<_>>()
    };
    let mut sections = Vec::new();
    if let Some(mut section) = figure_section(output, &places, "efficiency") {
        section.table = rows_table(output, rows("/alphas"), "alpha", &COLUMNS);
        sections.push(section);
    }
    if let Some(table) = rows_table(output, rows("/injections"), "alpha", &COLUMNS) {
        sections.push(Section {
            title: "Pools with unsolvable problems".to_owned(),
            table: Some(table),
            ..Section::default()
        });
    }
    let keys = [
        ("problems", "problems"),
        ("solved", "of these solved"),
        ("pool_size", "problems of a pool"),
        ("value", "value of the best plan"),
        ("capacity", "capacity"),
        ("seconds", "seconds to solve"),
    ];
    sections.push(Section {
        title: "The problems".to_owned(),
        table: key_table(output, &places, &keys),
        ..Section::default()
    });
    let planner = output.text("/planner");
    let lead = sentence([words(format!(
        "What a planner ({planner}) attempts under a budget of alpha times what all problems cost, between a random plan and the best one."
    ))]);
    let title = "Triage under a budget".to_owned();
    Page { title, lead, sections, notes: notes(output, &places) }
}

/// The figures that follow from the output.
pub(super) fn figures(output: Output<'_>) -> Figures {
    let n = output.len("/alphas");
    let at = |i: usize, key: &str| number_at(output, &format!("/alphas/{i}/{key}"));
    let last = (0..n).filter_map(|i| at(i, "alpha")).fold(0.0, f64::max);
    let mut series = vec![
        Series::reference("random plan", (0.0, 0.0), (last, 0.0)),
        Series::reference("best plan", (0.0, 1.0), (last, 1.0)),
    ];
    for (key, name) in [
        ("eta_advisory", "advisory: allocations do not stop attempts"),
        ("eta_enforced", "enforced: attempts stop at their allocations"),
    ] {
        let mut points: Vec<[f64; 4]> = (0..n)
            .filter_map(|i| {
                let value = at(i, key)?;
                let low = at(i, &format!("{key}_ci_low")).unwrap_or(value);
                let high = at(i, &format!("{key}_ci_high")).unwrap_or(value);
                Some([at(i, "alpha")?, value, low, high])
            })
            .collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        series.push(Series::with_intervals(name, Mark::LineDots, points));
    }
    let is_informed = output.at("/informed").and_then(serde_json::Value::as_bool) == Some(true);
    let figure = Figure {
        title: format!(
            "Efficiency by budget: how near is {}{} to the best plan?",
            output.text("/planner"),
            // Such a planner sees costs or outcomes.
            if is_informed { " (informed reference)" } else { "" },
        ),
        x: Axis::new("alpha: budget over the cost of all problems")
            .with_range(0.0, 1.05_f64.max(1.05 * last)),
        y: Axis::new("triage efficiency"),
        series,
        note: "0 is a random plan, 1 the best one. Bars are 95 % intervals over pools.".to_owned(),
    };
    if figure.is_empty() { Figures::new() } else { [("efficiency".to_owned(), figure)].into() }
}
