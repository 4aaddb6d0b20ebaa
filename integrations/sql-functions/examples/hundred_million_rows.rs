//! Writes rows of a model, a confidence and an outcome as Parquet files, and times queries on them.
//!
//! ```text
//! hundred_million_rows write FOLDER ROWS [shuffled]
//! hundred_million_rows query FOLDER PARTITIONS plain|exact|auroc|rounded
//! ```
//!
//! Row i is the same on every machine. `shuffled` writes the same rows in another order. A query prints
//! a line per model with the bits of the result, then seconds and peak memory.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::{env, error::Error, fs, sync::Arc, time::Instant};

use arrow::{
    array::{ArrayRef, AsArray, BooleanArray, Float64Array, RecordBatch, StringArray},
    datatypes::Float64Type,
};
use datafusion::{
    parquet::arrow::ArrowWriter,
    prelude::{ParquetReadOptions, SessionConfig, SessionContext},
};

const USAGE: &str =
    "write FOLDER ROWS [shuffled] | query FOLDER PARTITIONS plain|exact|auroc|rounded";
const FILES: u64 = 8;
const BATCH: u64 = 1 << 16;

/// The n-th number of a random sequence (SplitMix64), in [0, 1).
fn random(n: u64) -> f64 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Eight models, from one that guesses to one that is nearly sure.
fn row(i: u64) -> (usize, f64, bool) {
    let model = (random(3 * i) * 8.0) as usize;
    let spread = 0.3 + 0.1 * model as f64;
    let p = 0.5 + spread * (random(3 * i + 1) - 0.5);
    (model, p, random(3 * i + 2) < p)
}

fn write(folder: &str, rows: u64, shuffled: bool) -> Result<(), Box<dyn Error>> {
    const MODELS: [&str; 8] = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"];
    fs::create_dir_all(folder)?;
    // A step that shares no factor with the number of rows visits each row once.
    let steps = [982_451_653_u64, 961_748_941, 472_882_027];
    let step = steps.into_iter().find(|step| !rows.is_multiple_of(*step)).ok_or("too many rows")?;
    let place = |i: u64| {
        if shuffled { (u128::from(i) * u128::from(step) % u128::from(rows)) as u64 } else { i }
    };
    for file in 0..FILES {
        let (start, end) = (rows * file / FILES, rows * (file + 1) / FILES);
        let mut writer = None;
        for start in (start..end).step_by(BATCH as usize) {
            let all: Vec<_> = (start..end.min(start + BATCH)).map(|i| row(place(i))).collect();
            let models = StringArray::from_iter_values(all.iter().map(|row| MODELS[row.0]));
            let batch = RecordBatch::try_from_iter([
                ("model", Arc::new(models) as ArrayRef),
                ("p", Arc::new(Float64Array::from_iter_values(all.iter().map(|row| row.1)))),
                ("y", Arc::new(BooleanArray::from_iter(all.iter().map(|row| Some(row.2))))),
            ])?;
            if writer.is_none() {
                let to = fs::File::create(format!("{folder}/{file}.parquet"))?;
                writer = Some(ArrowWriter::try_new(to, batch.schema(), None)?);
            }
            writer.as_mut().ok_or("no writer")?.write(&batch)?;
        }
        if let Some(writer) = writer {
            writer.close()?;
        }
    }
    Ok(())
}

async fn query(folder: &str, partitions: usize, name: &str) -> Result<(), Box<dyn Error>> {
    let value = match name {
        "plain" => "avg(ln(CASE WHEN y THEN p ELSE 1 - p END))",
        "exact" => "exact_mean(log_score(p, y))",
        "auroc" => "auroc(p, y)",
        "rounded" => "auroc(round(p, 4), y)",
        _ => return Err(USAGE.into()),
    };
    let config = SessionConfig::new().with_target_partitions(partitions);
    let mut session = SessionContext::new_with_config(config);
    sql_functions::register_all(&mut session)?;
    session.register_parquet("runs", folder, ParquetReadOptions::default()).await?;
    let start = Instant::now();
    let sql = format!("SELECT model, count(*), {value} FROM runs GROUP BY model ORDER BY model");
    let batches = session.sql(&sql).await?.collect().await?;
    let seconds = start.elapsed().as_secs_f64();
    for batch in &batches {
        let rows = arrow::compute::cast(batch.column(0), &arrow::datatypes::DataType::Utf8)?;
        for row in 0..batch.num_rows() {
            let value = batch.column(2).as_primitive::<Float64Type>().value(row);
            println!("{} {value} {:016x}", rows.as_string::<i32>().value(row), value.to_bits());
        }
    }
    println!("{name} partitions {partitions} seconds {seconds:.2} peak_mb {}", peak_megabytes());
    Ok(())
}

/// The largest memory of this process so far, where the system tells it.
fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["write", folder, rows] => write(folder, rows.parse()?, false),
        ["write", folder, rows, "shuffled"] => write(folder, rows.parse()?, true),
        ["query", folder, partitions, name] => query(folder, partitions.parse()?, name).await,
        _ => Err(USAGE.into()),
    }
}
