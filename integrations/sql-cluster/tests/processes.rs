//! Two worker processes on the loopback address give the bits of one process, and a worker that ends
//! during a query makes it fail.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use datafusion::{
    arrow::{
        array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch},
        util::pretty::pretty_format_batches,
    },
    parquet::arrow::ArrowWriter,
    prelude::{ParquetReadOptions, SessionContext},
};

const SQL: &str = "SELECT model, exact_mean(log_score(p, y)), exact_sum(p), auroc(p, y), \
    average_precision(p, y), aurc(p, y), calibration_error(p, y, 10), reliability(p, y, 3), \
    cluster_mean(p, task), pass_hat_k(y, task, 2) FROM runs GROUP BY model ORDER BY model";

/// Writes four files of 500 rows.
fn write_runs(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for file in 0..4_i64 {
        let rows: Vec<i64> = (500 * file..500 * (file + 1)).collect();
        let p = |i: i64| ((i * i * 7_919) % 10_007) as f64 / 10_007.0;
        let numbers = |value: fn(i64) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|&i| value(i))))
        };
        let batch = RecordBatch::try_from_iter([
            ("model", numbers(|i| i * 31 % 3)),
            ("task", numbers(|i| i * 17 % 20)),
            ("p", Arc::new(Float64Array::from_iter_values(rows.iter().map(|&i| p(i)))) as ArrayRef),
            (
                "y",
                Arc::new(BooleanArray::from_iter(rows.iter().map(|&i| Some(p(i * 3 + 1) < p(i))))),
            ),
        ])
        .unwrap();
        let to = File::create(folder.join(format!("{file}.parquet"))).unwrap();
        let mut writer = ArrowWriter::try_new(to, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
}

fn runs(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    write_runs(&folder);
    folder
}

/// A worker process, which ends with this value.
struct Process {
    child: Child,
    address: String,
}

impl Process {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sql-cluster"))
            .args(["worker", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, address }
    }

    /// Makes the process wait without ending it.
    fn pause(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-STOP", &id]).status().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn client(workers: &[&Process], folder: &Path) -> Command {
    client_with(workers, folder, SQL)
}

fn client_with(workers: &[&Process], path: &Path, sql: &str) -> Command {
    let addresses: Vec<&str> = workers.iter().map(|worker| &worker.address[..]).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sql-cluster"));
    let table = format!("runs={}", path.display());
    command.args(["query", &addresses.join(","), &table, sql]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The output without its last line break.
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap().trim_end().to_owned()
}

#[tokio::test]
async fn two_worker_processes_give_the_bits_of_one_process() {
    let folder = runs("two_workers");
    let mut session = SessionContext::new();
    sql_functions::register_all(&mut session).unwrap();
    let options = ParquetReadOptions::default();
    session.register_parquet("runs", folder.to_str().unwrap(), options).await.unwrap();
    let rows = session.sql(SQL).await.unwrap().collect().await.unwrap();
    let expected = pretty_format_batches(&rows).unwrap().to_string();
    assert_eq!(expected.lines().count(), 4 + 3, "{expected}");

    let (first, second) = (Process::start(), Process::start());
    assert_eq!(printed(&client(&[&first, &second], &folder).output().unwrap()), expected);
    assert_eq!(printed(&client(&[&second], &folder).output().unwrap()), expected);
}

#[test]
fn a_worker_that_ends_during_a_query_makes_it_fail_without_rows() {
    let folder = runs("ended_worker");
    let (first, second) = (Process::start(), Process::start());
    // The query cannot finish while a worker waits.
    second.pause();
    let mut waiting = client(&[&first, &second], &folder).spawn().unwrap();
    thread::sleep(Duration::from_secs(2));
    assert!(waiting.try_wait().unwrap().is_none(), "the query did not need the second worker");
    drop(second);
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("sql-cluster: "));

    // The other worker still serves, and a worker that is gone is an error too.
    assert!(printed(&client(&[&first], &folder).output().unwrap()).contains("auroc"));
    let mut gone = Process::start();
    gone.address = "127.0.0.1:1".to_owned();
    assert_eq!(client(&[&first, &gone], &folder).output().unwrap().status.code(), Some(1));
}

#[test]
fn the_client_opens_files_as_the_command_does() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opened");
    let _ = fs::remove_dir_all(&folder);
    write_runs(&folder.join("parquet/day=a"));
    write_runs(&folder.join("parquet/day=b/deeper"));
    fs::rename(folder.join("parquet/day=a/0.parquet"), folder.join("parquet/day=a/0.PARQ"))
        .unwrap();
    fs::create_dir_all(folder.join("json")).unwrap();
    let whole = "{\"p\": 1, \"day\": \"a\"}\n".repeat(1_200);
    fs::write(folder.join("json/1.jsonl"), whole + "{\"p\": 0.5, \"day\": \"b\"}\n").unwrap();
    fs::write(folder.join("json/2.jsonl"), "{\"p\": 0.25, \"day\": \"b\"}\n").unwrap();
    let (first, second) = (Process::start(), Process::start());
    for (kind, sql, rows) in [
        (
            "parquet",
            "SELECT day, count(*) FROM runs GROUP BY day ORDER BY day",
            ["| a   | 2000     |", "| b   | 2000     |"],
        ),
        (
            "json",
            "SELECT day, exact_sum(p) FROM runs GROUP BY day ORDER BY day",
            ["| a   | 1200.0            |", "| b   | 0.75              |"],
        ),
    ] {
        let mut client = client_with(&[&first, &second], &folder.join(kind), sql);
        let table = printed(&client.output().unwrap());
        assert_eq!(table.lines().skip(3).take(2).collect::<Vec<_>>(), rows, "{table}");
    }
}

#[test]
fn the_client_only_reads() {
    let folder = runs("only_read");
    let files = || fs::read_dir(&folder).unwrap().count();
    let before = files();
    let new = folder.with_extension("csv");
    let _ = fs::remove_file(&new);
    let (first, second) = (Process::start(), Process::start());
    let copy = format!("COPY (SELECT p FROM runs) TO '{}'", new.display());
    for sql in ["INSERT INTO runs SELECT * FROM runs", "DROP TABLE runs", "SET a.b = 1", &copy] {
        let output = client_with(&[&first, &second], &folder, sql).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{sql}: {error}");
        assert!(error.contains("a query only reads"), "{sql}: {error}");
    }
    assert_eq!((files(), new.exists()), (before, false));

    let mut writing = client_with(&[&first, &second], &folder, "SELECT count(*) AS n FROM runs");
    writing.arg("--output").arg(&new);
    printed(&writing.output().unwrap());
    assert_eq!(fs::read_to_string(&new).unwrap(), "n\n2000\n");
    // Not a second time.
    assert_eq!(writing.output().unwrap().status.code(), Some(2));
    assert_eq!(fs::read_to_string(&new).unwrap(), "n\n2000\n");
}
