//! From logs to Parquet, from SQL back to the library: runs that a cluster can query become a small
//! table with a row per model and task, on which the library computes intervals and paired tests.
//!
//! ```text
//! logs_to_parquet_and_back [LOG FOLDER]
//! ```
//!
//! `LOG` is a file or a folder of logs whose models state a confidence in each turn; `FOLDER` is where the
//! Parquet file is written. Without arguments a small log of two models is used.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::{env, error::Error, fs, io::Cursor, path::Path, sync::Arc};

use arrow::{
    array::{
        ArrayRef, AsArray, BooleanArray, Float64Builder, ListBuilder, RecordBatch, StringArray,
        StringBuilder,
    },
    compute::cast,
    datatypes::{DataType, Float64Type},
};
use datafusion::{
    parquet::arrow::ArrowWriter,
    prelude::{ParquetReadOptions, SessionContext},
};
use run_logs::{
    ConfidenceStream, FactRules, ForecastPolicy, Format, ReadOptions, RunTable, StreamOptions, read,
};
use scoring_rules::{BrierScore, ExactMean, Level};
use trajectory_metrics::{
    Arm, Bootstrap, ClusterEstimate, Seed, SignFlipTest, Tps, Traces, WeightSchedule,
};

/// One run of a small log: a model, a task, the confidence stated in each turn, and the outcome.
type Small = (&'static str, &'static str, &'static [f64], bool);

const SMALL: [Small; 12] = [
    ("first", "parser", &[0.6, 0.7, 0.8], true),
    ("first", "docs", &[0.6, 0.6, 0.7], false),
    ("first", "race", &[0.6, 0.7, 0.6], false),
    ("first", "typo", &[0.8, 0.9], true),
    ("first", "cache", &[0.7, 0.8], false),
    ("first", "login", &[0.7, 0.7, 0.9], true),
    ("second", "parser", &[0.7, 0.8, 0.9], true),
    ("second", "docs", &[0.6, 0.4, 0.2], false),
    ("second", "race", &[0.4, 0.3], false),
    ("second", "typo", &[0.9, 0.9], true),
    ("second", "cache", &[0.5, 0.4, 0.3], false),
    ("second", "login", &[0.5, 0.7, 0.8], true),
];

/// The small log as JSON Lines.
fn small_log() -> String {
    let mut lines = String::new();
    for (i, (model, task, confidence, outcome)) in SMALL.iter().enumerate() {
        let turns: Vec<String> = confidence
            .iter()
            .map(|p| {
                format!(
                    r#"{{"response": {{"model": "{model}", "choices": [{{"message": {{"role": "assistant", "content": "<confidence>{p}</confidence>"}}}}]}}}}"#
                )
            })
            .collect();
        lines.push_str(&format!(
            "{{\"id\": \"{i}\", \"task\": \"{task}\", \"outcome\": {outcome}, \"turns\": [{}]}}\n",
            turns.join(", ")
        ));
    }
    lines
}

/// The complete runs of a table as columns: model, task, outcome, confidences and tool calls.
fn columns(table: &RunTable) -> Result<RecordBatch, Box<dyn Error>> {
    let stream = table.stream(ConfidenceStream::StatedConfidence, ForecastPolicy::LeaveOut)?;
    let (mut models, mut tasks, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
    let mut forecasts = ListBuilder::new(Float64Builder::new());
    let mut calls = ListBuilder::new(StringBuilder::new());
    for (run, row) in stream.runs().iter().zip(stream.rows()) {
        let row = &table.rows()[*row];
        models.push(row.model.as_deref());
        tasks.push(row.task.as_deref());
        outcomes.push(row.outcome);
        forecasts.append_value(run.forecasts.iter().map(|p| Some(p.get())));
        calls.append_value(row.tool_calls.iter().map(|call| Some(&call.name)));
    }
    let forecasts: ArrayRef = Arc::new(forecasts.finish());
    Ok(RecordBatch::try_from_iter_with_nullable([
        ("model", Arc::new(StringArray::from(models)) as ArrayRef, true),
        ("task", Arc::new(StringArray::from(tasks)), true),
        ("outcome", Arc::new(BooleanArray::from(outcomes)), true),
        ("forecasts", forecasts, true),
        ("calls", Arc::new(calls.finish()), true),
    ])?)
}

fn write(batch: &RecordBatch, folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let file = fs::File::create(folder.join("runs.parquet"))?;
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None)?;
    writer.write(batch)?;
    writer.close()?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let policy = FactRules::default();
    let (limits, options) = (ReadOptions::default(), StreamOptions::default());
    let (table, folder) = match &arguments[..] {
        [log, folder] => {
            let log = Path::new(log);
            (RunTable::read_path(log, Format::Auto, &limits, &policy, &options)?, folder.into())
        }
        _ => {
            let runs = read(Cursor::new(small_log()), Format::Auto, &limits)?;
            let name = format!("logs_to_parquet_{}", std::process::id());
            (RunTable::new(runs, &policy, &options)?, env::temp_dir().join(name))
        }
    };
    write(&columns(&table)?, &folder)?;

    // What a cluster does: many runs become a row per model and task.
    let mut session = SessionContext::new();
    sql_functions::register_all(&mut session)?;
    let path = folder.to_string_lossy();
    session.register_parquet("runs", path.as_ref(), ParquetReadOptions::default()).await?;
    let per_task = "SELECT model, task, exact_mean(tps(forecasts, outcome, 'brier', 'linear-front')) AS score \
        FROM runs GROUP BY model, task ORDER BY model, task";
    let batches = session.sql(per_task).await?.collect().await?;

    // What the library does with the small table: intervals over tasks, and a paired test.
    let (mut models, mut tasks, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for batch in &batches {
        let texts = |column: usize| cast(batch.column(column), &DataType::Utf8);
        let (model, task) = (texts(0)?, texts(1)?);
        models.extend(model.as_string::<i32>().iter().map(|name| name.unwrap_or("").to_owned()));
        tasks.extend(task.as_string::<i32>().iter().map(|name| name.unwrap_or("").to_owned()));
        scores.extend(batch.column(2).as_primitive::<Float64Type>().values());
    }
    let level = Level::new(0.95)?;
    let mut names = models.clone();
    names.dedup();
    for name in &names {
        let of: Vec<f64> =
            (0..scores.len()).filter(|&i| models[i] == *name).map(|i| scores[i]).collect();
        let estimate = Bootstrap::rows(of.len(), Seed(1))?.mean(&of, None, 2_000)?;
        let (value, interval) = (estimate.estimate(), estimate.figure(level).interval?);
        let (low, high) = (interval.low(), interval.high());
        println!("{name}: {value:.4} [{low:.4}, {high:.4}] over {} tasks", of.len());
    }
    if let [first, second] = &names[..] {
        let arms: Vec<Arm> = models.iter().map(|model| Arm::second_if(model == second)).collect();
        let gain = ClusterEstimate::difference(&scores, &arms, None, &tasks)?;
        let interval = gain.interval(level)?;
        let (low, high) = (interval.low(), interval.high());
        println!("{second} minus {first}: {:+.4} [{low:+.4}, {high:+.4}]", gain.estimate);
        // Both halves list the tasks in the same order.
        let (low, high) = scores.split_at(scores.len() / 2);
        if tasks[..low.len()] == tasks[low.len()..] {
            let differences: Vec<f64> = high.iter().zip(low).map(|(b, a)| b - a).collect();
            let test = SignFlipTest::new(&differences, None, &tasks[..low.len()], 10_000, Seed(1))?;
            println!("sign-flip test: p = {:.4}", test.p_value);
        }
    }

    // The mean over all runs has the bits of the library's own, without Parquet and SQL.
    let sql = "SELECT exact_mean(tps(forecasts, outcome, 'brier', 'linear-front')) FROM runs";
    let whole = session.sql(sql).await?.collect().await?;
    let whole = whole[0].column(0).as_primitive::<Float64Type>().value(0);
    let stream = table.stream(ConfidenceStream::StatedConfidence, ForecastPolicy::LeaveOut)?;
    let traces: Traces = stream.traces()?;
    let scores = Tps::new(BrierScore, WeightSchedule::LinearFront).scores(&traces)?;
    let expected = scores.into_iter().collect::<ExactMean>().finish()?;
    if whole.to_bits() != expected.to_bits() {
        return Err(format!("SQL gives {whole} and the library {expected}").into());
    }
    println!(
        "mean over all {} runs: {whole:.4}, the same bits in SQL and in the library",
        traces.len()
    );
    if arguments.is_empty() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}
