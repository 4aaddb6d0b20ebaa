//! The statements in `tests/sql`, each with the rows or the error that it gives.
//!
//! A statement is preceded by `query`, and followed by `----` and its rows; or preceded by `error` and a
//! part of the message. Statements are separated by empty lines.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_common::Result;

/// The rows of a statement, with the values of a row separated by spaces.
async fn rows(sql: &str) -> Result<Vec<String>> {
    let mut session = SessionContext::new_with_config(
        SessionConfig::new().with_target_partitions(3).with_information_schema(true),
    );
    sql_functions::register_all(&mut session)?;
    let mut rows = Vec::new();
    for batch in session.sql(sql).await?.collect().await? {
        let options = FormatOptions::new().with_null("NULL");
        let columns = batch.columns().iter();
        let columns: Vec<ArrayFormatter> =
            columns.map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        for row in 0..batch.num_rows() {
            let values: Vec<String> =
                columns.iter().map(|column| column.value(row).to_string()).collect();
            rows.push(values.join(" "));
        }
    }
    Ok(rows)
}

async fn check(file: &str, text: &str) {
    let mut checked = 0;
    for record in text.split("\n\n") {
        let lines: Vec<&str> =
            record.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        let Some((head, rest)) = lines.split_first() else { continue };
        checked += 1;
        if let Some(part) = head.strip_prefix("error ") {
            let sql = rest.join("\n");
            let error = rows(&sql).await.map(|rows| rows.join("; "));
            let error = error.expect_err(&format!("{file}: {sql}")).to_string();
            assert!(error.contains(part), "{file}: {sql}\nfound: {error}\nexpected: {part}");
        } else {
            assert_eq!(*head, "query", "{file}");
            let at = rest.iter().position(|line| *line == "----").unwrap();
            let sql = rest[..at].join("\n");
            let found = rows(&sql).await.unwrap_or_else(|error| panic!("{file}: {sql}\n{error}"));
            assert_eq!(found, rest[at + 1..], "{file}: {sql}");
        }
    }
    assert!(checked > 10, "{file}: only {checked} statements");
}

macro_rules! files {
    ($($name:ident: $file:literal,)*) => {$(
        #[tokio::test]
        async fn $name() {
            check($file, include_str!(concat!("sql/", $file))).await;
        }
    )*};
}

files! {
    scores_of_a_row_are_those_of_the_library: "scores.slt",
    runs_and_paths_are_scored_as_lists: "lists.slt",
    exact_means_and_sums_skip_null_and_refuse_nan: "exact.slt",
    rank_metrics_are_null_where_they_are_undefined: "ranks.slt",
    calibration_is_measured_in_bins_of_equal_width: "calibration.slt",
    clusters_and_tasks_are_named_by_any_label: "clusters.slt",
    answers_about_budgets_are_read_and_counted: "budget.slt",
}
