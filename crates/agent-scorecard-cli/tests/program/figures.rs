//! The one form of a figure in a report.

use std::collections::BTreeSet;

use serde_json::Value;

const KEYS: [&str; 4] = ["ci_high", "ci_low", "standard_error", "value"];

fn is_figure(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.keys().eq(KEYS))
}

/// All objects of a report with the path that leads to each.
fn objects<'a>(at: &str, value: &'a Value, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(fields) => {
            found.push((at.to_owned(), value));
            for (key, field) in fields {
                // The data of pictures.
                if !["bins", "curves"].contains(&key.as_str()) {
                    objects(&format!("{at}/{key}"), field, found);
                }
            }
        }
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(key, it)| objects(&format!("{at}/{key}"), it, found));
        }
        _ => {}
    }
}

/// The paths at which a report has a figure in another form.
pub(crate) fn other_forms(report: &Value) -> Vec<String> {
    let mut found = Vec::new();
    objects("", report, &mut found);
    let figures = found.iter().filter(|(_, object)| is_figure(object));
    let names: BTreeSet<&str> = figures.filter_map(|(at, _)| at.rsplit('/').next()).collect();
    let mut other = Vec::new();
    for (at, object) in &found {
        let is_whole = is_figure(object);
        for (key, field) in object.as_object().unwrap() {
            let is_part = KEYS[..3].contains(&key.as_str()) && !is_whole;
            let is_flat = ["_ci_low", "_ci_high", "_se"].iter().any(|end| key.ends_with(end));
            // What is a figure in one place is one wherever it stands.
            let is_plain = names.contains(key.as_str()) && field.is_f64();
            if is_part || is_flat || is_plain || key == "intervals" {
                other.push(format!("{at}/{key}"));
            }
        }
    }
    other
}

/// The report with the value of each figure in its place.
pub(crate) fn values(report: Value) -> Value {
    match report {
        figure if is_figure(&figure) => figure["value"].clone(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, field)| (key, values(field))).collect()
        }
        Value::Array(all) => all.into_iter().map(values).collect(),
        other => other,
    }
}
