//! Worker processes on the loopback address give the bits of one process. A worker that is lost is named, and costs
//! the query only if no other is left.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod chaos;
mod cluster;

use std::{
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use cluster::{Host, Process, client, finished, printed, silent_socket};
use datafusion::{
    arrow::{
        array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch},
        util::pretty::pretty_format_batches,
    },
    parquet::arrow::ArrowWriter,
    prelude::{ParquetReadOptions, SessionContext},
};

pub(crate) const SQL: &str = "SELECT model, exact_mean(log_score(p, y)), exact_sum(p), auroc(p, y), \
    average_precision(p, y), aurc(p, y), calibration_error(p, y, 10), reliability(p, y, 3), \
    cluster_mean(p, task), pass_hat_k(y, task, 2) FROM runs GROUP BY model ORDER BY model";

/// Writes four files of 500 rows.
pub(crate) fn write_runs(folder: &Path) {
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

pub(crate) fn runs(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    write_runs(&folder);
    folder
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

    let (first, second) = (Process::start(&folder), Process::start(&folder));
    let both = [&first.address[..], &second.address];
    assert_eq!(printed(client(&both, &folder, SQL)), expected);
    assert_eq!(printed(client(&[&second.address], &folder, SQL)), expected);
    // One that is named twice, too.
    assert_eq!(printed(client(&[&second.address[..]; 2], &folder, SQL)), expected);
}

#[test]
fn explain_shows_the_tasks_of_one_worker_and_of_two() {
    let folder = runs("explained");
    let (first, second) = (Process::start(&folder), Process::start(&folder));
    let explain = format!("EXPLAIN {SQL}");
    let one = printed(client(&[&first.address], &folder, &explain));
    assert!(one.contains(&format!("t0 on {0}, t1 on {0} ", first.address)), "{one}");
    assert!(one.contains("Stage 1 ── tasks=2"), "{one}");
    let two = printed(client(&[&first.address, &second.address], &folder, &explain));
    assert!(two.contains(&format!("t0 on {}, t1 on {} ", first.address, second.address)), "{two}");
    assert!(two.contains("t1: DataSourceExec"), "{two}");

    // What no worker can take part in says so.
    let local = finished(client(&[&first.address], &folder, "SELECT 1"), 30);
    assert_eq!((local.code, local.error.contains("in the client only")), (0, true));
    // A small file is shared all the same.
    let file = folder.join("0.parquet");
    let count = finished(client(&[&first.address], &file, "SELECT count(*) FROM runs"), 30);
    assert_eq!((count.code, &count.error[..]), (0, ""));
}

#[test]
fn a_worker_that_cannot_be_used_is_named_before_the_query() {
    let folder = runs("unusable");
    let good = Process::start(&folder);
    let paused = Process::start(&folder);
    paused.signal("STOP");
    let (silent, _listener) = silent_socket();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    for (bad, why) in [
        (&closed, "cannot be reached"),
        (&silent, "has not answered for 1 s"),
        (&paused.address, "has not answered for 1 s"),
        (&"no-such-host.invalid:7001".to_owned(), "cannot be reached"),
    ] {
        // Alone, and beside a good one, for a query of any size.
        for workers in [&[&bad[..]][..], &[&good.address, bad]] {
            for sql in ["SELECT count(*) FROM runs", SQL] {
                let mut query = client(workers, &folder, sql);
                query.args(["--timeout", "4s"]);
                let done = finished(query, 30);
                assert_eq!((done.code, &done.rows[..]), (1, ""), "{bad}: {}", done.error);
                assert!(done.error.contains(&format!("worker {bad} {why}")), "{}", done.error);
            }
        }
    }
    let done = finished(client(&["a/b"], &folder, SQL), 10);
    assert_eq!((done.code, done.error.contains("HOST:PORT")), (2, true));
}

#[test]
fn a_lost_worker_does_not_cost_the_query() {
    let folder = runs("lost_worker");
    let expected = {
        let alone = Process::start(&folder);
        printed(client(&[&alone.address], &folder, SLOW))
    };
    let is_repeated = |fault, moment| {
        let workers = [(); 3].map(|()| Process::start(&folder));
        let addresses = workers.each_ref().map(|worker| &worker.address[..]);
        let mut query = client(&addresses, &folder, SLOW);
        query.args(["--timeout", "40s"]);
        let query = query.spawn().unwrap();
        thread::sleep(moment);
        workers[1].signal(fault);
        let done = cluster::wait(query, 70);
        let (named, is_again) =
            (format!("worker {} ", addresses[1]), done.error.contains("runs again"));
        if is_again {
            let left = format!("runs again on {}, {}", addresses[0], addresses[2]);
            assert!(done.error.contains(&named) && done.error.contains(&left), "{}", done.error);
        }
        match done.code {
            0 => assert_eq!(done.rows, expected, "{fault}"),
            // The fault came before the workers were contacted.
            _ => assert!(!is_again && done.error.contains(&named), "{fault}: {}", done.error),
        }
        done.code == 0 && is_again
    };
    for fault in ["KILL", "STOP"] {
        // On a slow machine, the first fault comes before the query.
        let mut moments =
            [400, 700, 1_000, 200, 2_000, 4_000].map(Duration::from_millis).into_iter();
        assert!(moments.any(|moment| is_repeated(fault, moment)), "{fault}: never in the query");
    }
}

#[test]
fn a_query_without_workers_fails_and_names_them() {
    let folder = runs("no_worker_left");
    for fault in ["KILL", "STOP"] {
        let workers = [(); 2].map(|()| Process::start(&folder));
        let addresses = workers.each_ref().map(|worker| &worker.address[..]);
        let mut query = client(&addresses, &folder, SLOW);
        query.args(["--timeout", "12s"]);
        let query = query.spawn().unwrap();
        thread::sleep(Duration::from_millis(400));
        workers.iter().for_each(|worker| worker.signal(fault));
        let done = cluster::wait(query, 45);
        assert_eq!((done.code, &done.rows[..]), (1, ""), "{fault}: {}", done.error);
        for address in addresses {
            assert!(done.error.contains(&format!("worker {address} ")), "{fault}: {}", done.error);
        }
    }
}

#[test]
fn a_query_in_the_client_only_outlives_its_worker() {
    let folder = runs("local");
    let is_outlived = |rows: u64| {
        let worker = Process::start(&folder);
        let sql = format!("SELECT count(*) FROM generate_series(1, {rows}) WHERE value % 5 = 1");
        let query = client(&[&worker.address], &folder, &sql).spawn().unwrap();
        thread::sleep(Duration::from_millis(500));
        worker.signal("KILL");
        let killed = Instant::now();
        let done = cluster::wait(query, 100);
        assert_eq!(done.code, 0, "{}", done.error);
        assert!(done.error.contains("in the client only"), "{}", done.error);
        assert!(done.rows.contains(&format!("| {} ", rows / 5)), "{}", done.rows);
        // By then the client would have missed the worker.
        killed.elapsed() > Duration::from_secs(2)
    };
    let mut rows = (0..6).map(|step| 5_000_000 * 4_u64.pow(step));
    assert!(rows.any(is_outlived), "the worker never died during the query");
}

#[test]
fn a_worker_at_its_memory_limit_names_itself_and_serves_on() {
    let folder = runs("memory");
    let (free, full) =
        (Process::start(&folder), Process::with(&folder, "0", &["--memory-limit", "20MB"]));
    let ranks = "SELECT auroc(a.p * b.p, a.y) FROM runs a, runs b WHERE a.task < 5 AND b.model = 1";
    let groups = "SELECT count(*), exact_sum(s) FROM (SELECT a.p + b.p AS x, exact_sum(b.p) AS s \
        FROM runs a JOIN runs b ON a.task = b.task WHERE a.task < 5 GROUP BY a.p + b.p)";
    let sort = "SELECT task, p FROM runs ORDER BY p LIMIT 1";
    let expected = [ranks, groups, sort].map(|sql| printed(client(&[&free.address], &folder, sql)));
    let mut refused = 0;
    for _ in 0..2 {
        let queries = [ranks, groups, sort, ranks, groups, sort]
            .map(|sql| client(&[&full.address], &folder, sql).spawn().unwrap());
        for (query, expected) in queries.into_iter().zip(expected.iter().cycle()) {
            let done = cluster::wait(query, 100);
            let named = format!("memory limit: worker {}: ", full.address);
            match done.code {
                0 => assert_eq!(&done.rows, expected),
                code => {
                    assert_eq!((code, &done.rows[..]), (1, ""), "{}", done.error);
                    assert!(done.error.contains(&named), "{}", done.error);
                    assert!(done.error.contains("pool_size: 19.1 MB"), "{}", done.error);
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0, "the limit was never reached");
    assert_eq!(printed(client(&[&full.address], &folder, sort)), expected[2]);
}

#[test]
fn a_query_ends_at_its_timeout() {
    let folder = runs("timeout");
    let worker = Process::start(&folder);
    let endless = "SELECT exact_sum(a.p + b.p + c.p) FROM runs a, runs b, runs c";
    let mut query = client(&[&worker.address], &folder, endless);
    query.args(["--timeout", "2s"]);
    let done = finished(query, 30);
    assert_eq!((done.code, &done.rows[..]), (2, ""), "{}", done.error);
    assert!(done.error.contains("timeout: the query did not finish within 2s"), "{}", done.error);
}

#[test]
fn a_worker_reads_below_its_root_folder_only() {
    let folder = runs("root");
    let (inside, outside) = (folder.join("inside"), folder.join("outside"));
    write_runs(&inside);
    write_runs(&outside);
    let _ = std::os::unix::fs::symlink(&outside, inside.join("link"));
    let worker = Process::start(&inside);
    let sql = "SELECT count(*) FROM runs";
    assert!(printed(client(&[&worker.address], &inside.join("0.parquet"), sql)).contains("500"));
    for path in [outside.clone(), inside.join("link"), inside.join("../outside/0.parquet")] {
        let done = finished(client(&[&worker.address], &path, sql), 30);
        assert_eq!((done.code, &done.rows[..]), (1, ""), "{}", path.display());
        let named = format!("worker {}: ", worker.address);
        assert!(
            done.error.contains(&named) && done.error.contains("is not below"),
            "{}",
            done.error
        );
    }
}

#[test]
fn a_file_that_another_host_lacks_or_has_otherwise_is_named() {
    let hosts = [Host::new("files_0"), Host::new("files_1")];
    let workers = hosts.each_ref().map(Host::worker);
    let addresses = workers.each_ref().map(|worker| &worker.address[..]);
    let query = || hosts[0].client(&addresses, SQL);
    let expected = printed(query());
    for (break_it, why) in [
        (Host::remove as fn(&Host), "No such file"),
        (Host::exchange, "another size or modification time"),
    ] {
        break_it(&hosts[1]);
        let done = finished(query(), 30);
        assert_eq!((done.code, &done.rows[..]), (1, ""), "{}", done.error);
        assert!(done.error.contains(&format!("worker {}: ", addresses[1])), "{}", done.error);
        assert!(done.error.contains("1.parquet") && done.error.contains(why), "{}", done.error);
        hosts[1].restore();
        assert_eq!(printed(query()), expected);
    }
}

#[test]
fn a_worker_listens_on_this_machine_and_asks_for_its_token() {
    let folder = runs("token");
    let token = folder.with_extension("token");
    fs::write(&token, "0123456789abcdef\n").unwrap();
    let other = folder.with_extension("other");
    fs::write(&other, "0123456789abcdeF\n").unwrap();
    let token = ["--token-file", token.to_str().unwrap()];
    let workers = [(); 2].map(|()| Process::with(&folder, "0", &token));
    assert!(workers[0].address.starts_with("127.0.0.1:"), "{}", workers[0].address);
    let addresses = workers.each_ref().map(|worker| &worker.address[..]);
    let mut good = client(&addresses, &folder, SQL);
    good.args(token);
    assert!(printed(good).contains("auroc"));
    let mut wrong = client(&addresses, &folder, SQL);
    wrong.args(["--token-file", other.to_str().unwrap()]);
    for query in [client(&addresses, &folder, SQL), wrong] {
        let done = finished(query, 30);
        assert_eq!(
            (done.code, done.error.contains("needs its token")),
            (1, true),
            "{}",
            done.error
        );
    }
    let everywhere = Process::with(&folder, "0.0.0.0:0", &[]);
    assert!(everywhere.warning().contains("is reached from other machines"));
}

#[test]
fn a_bad_row_gives_its_error_and_no_panic() {
    let folder = runs("bad_row");
    let (first, second) = (Process::start(&folder), Process::start(&folder));
    for _ in 0..10 {
        let sql = "SELECT exact_sum(log_score(p + 0.5, y)) FROM runs";
        let done = finished(client(&[&first.address, &second.address], &folder, sql), 30);
        assert_eq!((done.code, done.error.lines().count()), (2, 1), "{}", done.error);
        assert!(done.error.contains("log_score: argument 1 (p) is 1."), "{}", done.error);
    }
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
    let (first, second) = (Process::start(&folder), Process::start(&folder));
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
        let table = printed(client(&[&first.address, &second.address], &folder.join(kind), sql));
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
    let (first, second) = (Process::start(&folder), Process::start(&folder));
    let both = [&first.address[..], &second.address];
    let copy = format!("COPY (SELECT p FROM runs) TO '{}'", new.display());
    for sql in ["INSERT INTO runs SELECT * FROM runs", "DROP TABLE runs", "SET a.b = 1", &copy] {
        let done = finished(client(&both, &folder, sql), 30);
        assert_eq!((done.code, &done.rows[..]), (2, ""), "{sql}: {}", done.error);
        assert!(done.error.contains("a query only reads"), "{sql}: {}", done.error);
    }
    assert_eq!((files(), new.exists()), (before, false));

    let writing = || {
        let mut writing = client(&both, &folder, "SELECT count(*) AS n FROM runs");
        writing.arg("--output").arg(&new);
        writing
    };
    printed(writing());
    assert_eq!(fs::read_to_string(&new).unwrap(), "n\n2000\n");
    // Not a second time.
    assert_eq!(finished(writing(), 30).code, 2);
    assert_eq!(fs::read_to_string(&new).unwrap(), "n\n2000\n");
}

/// A query of about a second, which every worker takes part in.
pub(crate) const SLOW: &str = "SELECT a.model, exact_mean(log_score(a.p, b.y, 0.01)) AS s, count(*) AS n \
    FROM runs a JOIN runs b ON a.model = b.model GROUP BY a.model ORDER BY a.model";
