//! Results have the same bits for any order, partition, number of threads and size of batches, and are
//! those of the library.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray},
    datatypes::{Float64Type, Schema},
    util::display::{ArrayFormatter, FormatOptions},
};
use datafusion::{
    datasource::MemTable,
    prelude::{SessionConfig, SessionContext},
};
use scoring_rules::{
    BetaScore, Binning, BrierScore, ExactMean, ExactSum, LogScore, Probability, ScoringRule, Seed,
    TiedBlocks, Weight, score_slice,
};
use trajectory_metrics::{
    Bootstrap, ClusterEstimate, Figure, PositiveClass, Ranking, aurc, auroc, average_precision,
    estimates, expected_calibration_error, tool_calls,
};

/// A row of the table.
#[derive(Clone, Debug)]
struct Row {
    g: i64,
    p: f64,
    y: bool,
    w: f64,
    x: f64,
    c: String,
    answer: String,
}

/// A generator of numbers in [0, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn data(n: usize) -> Vec<Row> {
    let mut numbers = Numbers(20_260_601);
    let row = |_| {
        // Some confidences are equal, and some differ in all digits.
        let u = numbers.next();
        let p = if numbers.next() < 0.5 { (u * 20.0).round() / 20.0 } else { u };
        let low = (numbers.next() * 100.0).round();
        Row {
            g: (numbers.next() * 4.0) as i64,
            p,
            y: numbers.next() < p,
            w: if numbers.next() < 0.1 { 0.0 } else { 0.1 + numbers.next() },
            x: (numbers.next() - 0.5) * 10.0_f64.powf(numbers.next() * 30.0),
            c: format!("task {}", (numbers.next() * 25.0) as i64),
            answer: format!("<answer>[{low}, {}]</answer>", low + 40.0),
        }
    };
    (0..n).map(row).collect()
}

fn shuffle(rows: &mut [Row], seed: u64) {
    let mut numbers = Numbers(seed);
    for i in (1..rows.len()).rev() {
        rows.swap(i, (numbers.next() * (i + 1) as f64) as usize);
    }
}

fn batch(rows: &[Row]) -> RecordBatch {
    let column = |value: fn(&Row) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(rows.iter().map(value)))
    };
    let text = |value: fn(&Row) -> &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(value)))
    };
    RecordBatch::try_from_iter([
        ("g", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.g))) as ArrayRef),
        ("p", column(|row| row.p)),
        ("y", Arc::new(BooleanArray::from_iter(rows.iter().map(|row| Some(row.y)))) as ArrayRef),
        ("w", column(|row| row.w)),
        ("x", column(|row| row.x)),
        ("c", text(|row| &row.c)),
        ("answer", text(|row| &row.answer)),
    ])
    .unwrap()
}

/// How a query is run.
#[derive(Clone, Copy, Debug)]
struct Run {
    partitions: usize,
    batch_size: usize,
    threads: usize,
    /// Whether the first stage passes states of single rows on instead of grouping them.
    skips_partial: bool,
}

async fn query(rows: &[Row], run: Run, sql: &str) -> Vec<RecordBatch> {
    let mut config =
        SessionConfig::new().with_target_partitions(run.threads).with_batch_size(run.batch_size);
    if run.skips_partial {
        let options = &mut config.options_mut().execution;
        options.skip_partial_aggregation_probe_rows_threshold = 1;
        options.skip_partial_aggregation_probe_ratio_threshold = 0.0;
    }
    let mut session = SessionContext::new_with_config(config);
    sql_functions::register_all(&mut session).unwrap();
    let schema: Arc<Schema> = batch(&[]).schema();
    let part = rows.len().div_ceil(run.partitions).max(1);
    let mut parts: Vec<Vec<RecordBatch>> =
        rows.chunks(part).map(|rows| rows.chunks(run.batch_size).map(batch).collect()).collect();
    parts.resize(run.partitions, Vec::new());
    let table = MemTable::try_new(schema, parts).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
    session.sql(sql).await.unwrap().collect().await.unwrap()
}

/// The rows of the result. Floats are printed with as many digits as tell them apart.
fn printed(batches: &[RecordBatch]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in batches {
        let options = FormatOptions::new().with_null("NULL");
        let columns: Vec<ArrayFormatter> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        rows.extend((0..batch.num_rows()).map(|row| {
            let values: Vec<String> =
                columns.iter().map(|column| column.value(row).to_string()).collect();
            values.join(" ")
        }));
    }
    rows
}

const ALL: &str = "exact_mean(x), exact_mean(x, w), exact_sum(x), exact_mean(log_score(p, y)), \
    auroc(p, y), auroc(p, y, w), average_precision(p, y), average_precision(p, y, w), aurc(p, y), \
    aurc(p, y, w), calibration_error(p, y, 10), calibration_error(p, y, 7, w), reliability(p, y, 5), \
    reliability(p, y, 5, w), cluster_mean(x, c), cluster_mean(y, c), \
    cluster_mean(p, c, 0, 1), pass_hat_k(y, c, 2), pass_hat_k_interval(y, c, 2), auroc_interval(p, y, c), \
    budget_metrics(answer, 50 + w * 100, y)";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn any_order_partition_thread_count_and_batch_size_gives_the_same_bits() {
    let grouped = format!("SELECT g, {ALL} FROM t GROUP BY g ORDER BY g");
    let whole = format!("SELECT {ALL} FROM t");
    let one = Run { partitions: 1, batch_size: 8_192, threads: 1, skips_partial: false };
    let mut rows = data(1_200);
    let expected =
        [printed(&query(&rows, one, &grouped).await), printed(&query(&rows, one, &whole).await)];
    assert_eq!((expected[0].len(), expected[1].len()), (4, 1));
    // The one NULL of a record with an interval is that of the reason why there is none.
    let text =
        expected.concat().join(" ").replace("no_interval: NULL", "").replace("no_interval: }", "");
    assert!(!text.contains("NULL") && !text.contains("NaN"), "{text}");
    let mut seed = 0;
    for (partitions, batch_size, threads) in
        [(1, 100, 2), (2, 8_192, 2), (8, 37, 8), (3, 1, 4), (8, 1_000, 1)]
    {
        for skips_partial in [false, true] {
            seed += 1;
            shuffle(&mut rows, seed);
            let run = Run { partitions, batch_size, threads, skips_partial };
            assert_eq!(printed(&query(&rows, run, &grouped).await), expected[0], "{run:?}");
            assert_eq!(printed(&query(&rows, run, &whole).await), expected[1], "{run:?}");
        }
    }
}

#[tokio::test]
async fn more_groups_than_a_batch_are_emitted_in_parts() {
    let rows = data(2_000);
    let sql = "SELECT count(*), exact_sum(a), exact_sum(m) FROM \
        (SELECT c, g, y, auroc(p, p > 0.5) AS a, exact_mean(x) AS m FROM t GROUP BY c, g, y)";
    let one = Run { partitions: 1, batch_size: 8_192, threads: 1, skips_partial: false };
    let small = Run { partitions: 4, batch_size: 16, threads: 3, skips_partial: false };
    assert_eq!(printed(&query(&rows, one, sql).await), printed(&query(&rows, small, sql).await));
    // Sorted groups are emitted before all rows have been read.
    let sorted = "SELECT count(*), exact_sum(a), exact_sum(m) FROM \
        (SELECT c, g, y, auroc(p, p > 0.5) AS a, exact_mean(x) AS m FROM \
        (SELECT * FROM t ORDER BY c, g, y) GROUP BY c, g, y)";
    assert_eq!(printed(&query(&rows, one, sql).await), printed(&query(&rows, small, sorted).await));
}

#[tokio::test]
async fn results_are_those_of_the_library() {
    let rows = data(3_000);
    let run = Run { partitions: 3, batch_size: 100, threads: 3, skips_partial: false };
    let sql = "SELECT exact_mean(log_score(p, y)), exact_mean(x, w), exact_sum(x), auroc(p, y), \
        average_precision(p, y), aurc(p, y), auroc(p, y, w), aurc(p, y, w), \
        calibration_error(p, y, 10), calibration_error(p, y, 10, w), m['mean'], m['standard_error'], \
        m['low'] FROM (SELECT *, cluster_mean(x, c) OVER () AS m FROM t) GROUP BY m";
    let found = query(&rows, run, sql).await;
    let found: Vec<f64> = found
        .iter()
        .filter(|batch| batch.num_rows() == 1)
        .flat_map(|batch| {
            batch.columns().iter().map(|column| column.as_primitive::<Float64Type>().value(0))
        })
        .collect();

    let column = |value: fn(&Row) -> f64| rows.iter().map(value).collect::<Vec<f64>>();
    let (p, w, x) = (column(|row| row.p), column(|row| row.w), column(|row| row.x));
    let y: Vec<bool> = rows.iter().map(|row| row.y).collect();
    let c: Vec<&str> = rows.iter().map(|row| &row.c[..]).collect();
    let p = Probability::from_slice(&p).unwrap();
    let weights = Weight::from_slice(&w).unwrap();
    let mut scores = vec![0.0; p.len()];
    score_slice(&LogScore::exact(), p, &y, &mut scores).unwrap();
    let logs: ExactMean = scores.into_iter().collect();
    let mut weighted = ExactMean::default();
    x.iter().zip(weights).for_each(|(&x, &w)| weighted.update_weighted(x, w).unwrap());
    let plain = TiedBlocks::new(p, &y, None).unwrap();
    let heavy = TiedBlocks::new(p, &y, Some(weights)).unwrap();
    let bins = Binning::EqualWidth { bins: 10 };
    let clusters = ClusterEstimate::mean(&x, None, &c).unwrap();
    let level = scoring_rules::Level::new(0.95).unwrap();
    // The same bits where the library's own sums are exact, and a few last digits elsewhere.
    let expected = [
        (logs.finish().unwrap(), 0.0),
        (weighted.finish().unwrap(), 0.0),
        (x.iter().copied().collect::<ExactSum>().value(), 0.0),
        (auroc(&plain).unwrap(), 0.0),
        (average_precision(&plain, PositiveClass::Success).unwrap(), 0.0),
        (aurc(&plain).unwrap(), 0.0),
        (auroc(&heavy).unwrap(), 1e-14),
        (aurc(&heavy).unwrap(), 1e-14),
        (expected_calibration_error(&plain, bins).unwrap(), 1e-13),
        (expected_calibration_error(&heavy, bins).unwrap(), 1e-13),
        (clusters.estimate, 1e-12),
        (clusters.standard_error, 1e-12),
        (clusters.interval(level).unwrap().low(), 1e-12),
    ];
    assert_eq!(found.len(), expected.len());
    for (i, (found, (expected, error))) in found.into_iter().zip(expected).enumerate() {
        let distance = (found - expected).abs();
        assert!(distance <= error * expected.abs(), "{i}: {found} and {expected}");
    }
}

/// The value, the standard error and the ends of a record, with its number of clusters.
async fn record(rows: &[Row], run: Run, value: &str, call: &str) -> [f64; 5] {
    let sql = format!(
        "SELECT m['{value}'], m['standard_error'], m['low'], m['high'], m['clusters']::double \
         FROM (SELECT {call} AS m FROM t)"
    );
    let found = query(rows, run, &sql).await;
    let found = found.iter().find(|batch| batch.num_rows() == 1).unwrap();
    std::array::from_fn(|i| found.column(i).as_primitive::<Float64Type>().value(0))
}

#[tokio::test]
async fn intervals_are_those_of_the_library() {
    let mut rows = data(2_000);
    // Confidences in steps, so that some rows of a cluster are equal.
    rows.iter_mut().for_each(|row| row.p = (row.p * 20.0).round() / 20.0);
    let run = Run { partitions: 3, batch_size: 64, threads: 3, skips_partial: true };
    let level = scoring_rules::Level::new(0.95).unwrap();
    let parts = |figure: Figure, clusters: usize| {
        let ends = figure.interval.unwrap();
        [figure.value, figure.standard_error.unwrap(), ends.low(), ends.high(), clusters as f64]
    };
    let p: Vec<f64> = rows.iter().map(|row| row.p).collect();
    let y: Vec<bool> = rows.iter().map(|row| row.y).collect();
    let c: Vec<&str> = rows.iter().map(|row| &row.c[..]).collect();
    let confidence = Probability::from_slice(&p).unwrap();

    // To the bit: the resamples of the same clusters, and one value per task.
    let bootstrap = Bootstrap::clusters(&c, Seed(0)).unwrap();
    let auroc = bootstrap.auroc(&Ranking::new(confidence, &y).unwrap(), 1_000).unwrap();
    let found = record(&rows, run, "auroc", "auroc_interval(p, y, c)").await;
    assert_eq!(found, parts(auroc.figure(level), 25));
    let mut names = c.clone();
    names.sort_unstable();
    names.dedup();
    let of = |name: &&str| {
        let runs = || rows.iter().filter(|row| row.c == **name);
        let successes = runs().filter(|row| row.y).count() as u64;
        tool_calls::pass_hat_k(runs().count() as u64, successes, 3).unwrap()
    };
    let passes: Vec<f64> = names.iter().map(of).collect();
    let passed = estimates::mean(&passes, None, &names, estimates::SHARE, level).unwrap();
    let found = record(&rows, run, "pass_hat_k", "pass_hat_k_interval(y, c, 3)").await;
    assert_eq!(found, parts(passed, 25));

    // Sums by cluster are rounded once and not row by row.
    let outcomes: Vec<f64> = y.iter().map(|&y| f64::from(y)).collect();
    let brier: Vec<f64> = p.iter().zip(&outcomes).map(|(p, y)| (p - y).powi(2)).collect();
    let amounts: Vec<f64> = p.iter().map(|p| (4.0 * p).exp()).collect();
    for (values, call, range) in [
        (&outcomes, "cluster_mean(y, c)", estimates::SHARE),
        (&outcomes, "cluster_mean(CASE WHEN y THEN 1 ELSE 0 END, c, 0, 1)", estimates::SHARE),
        (&brier, "cluster_mean(-brier_score(p, y), c, 0, 1)", estimates::SHARE),
        (&brier, "cluster_mean(-brier_score(p, y), c)", estimates::ANY),
        (&amounts, "cluster_mean(exp(4 * p), c, 0, 'inf'::double)", [0.0, f64::INFINITY]),
    ] {
        let expected = parts(estimates::mean(values, None, &c, range, level).unwrap(), 25);
        for (found, expected) in record(&rows, run, "mean", call).await.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-12 * expected, "{call}: {found}, {expected}");
        }
    }

    // To the bit where a row is a cluster; a rate near 1, and outcomes that are all the same in a cluster.
    let mut alone = data(60);
    for (i, row) in alone.iter_mut().enumerate() {
        (row.c, row.y) = (format!("task {i}"), i != 7);
    }
    let names: Vec<&str> = alone.iter().map(|row| &row.c[..]).collect();
    let outcomes: Vec<f64> = alone.iter().map(|row| f64::from(row.y)).collect();
    let expected = estimates::mean(&outcomes, None, &names, estimates::SHARE, level).unwrap();
    assert_eq!(record(&alone, run, "mean", "cluster_mean(y, c)").await, parts(expected, 60));
    let twice: Vec<Row> = alone.iter().chain(&alone).cloned().collect();
    let (names, outcomes) = ([&names[..], &names].concat(), [&outcomes[..], &outcomes].concat());
    let expected = estimates::mean(&outcomes, None, &names, estimates::SHARE, level).unwrap();
    let found = record(&twice, run, "mean", "cluster_mean(y, c)").await;
    for (found, expected) in found.iter().zip(parts(expected, 60)) {
        assert!((found - expected).abs() <= 1e-12 * expected, "{found}, {expected}");
    }
}

/// The scores of rows, with NULL where a forecast is missing, and the texts of errors.
async fn scores(
    rows: &[(Option<f64>, bool)],
    batch_size: usize,
    call: &str,
) -> Result<Vec<Option<f64>>, String> {
    let mut session =
        SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    sql_functions::register_all(&mut session).unwrap();
    let batch = |rows: &[(Option<f64>, bool)]| {
        let p: Float64Array = rows.iter().map(|row| row.0).collect();
        let y: BooleanArray = rows.iter().map(|row| Some(row.1)).collect();
        let columns = [("p", Arc::new(p) as ArrayRef, true), ("y", Arc::new(y) as ArrayRef, true)];
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    };
    let batches: Vec<RecordBatch> = rows.chunks(batch_size).map(batch).collect();
    let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
    let found = session.sql(&format!("SELECT {call} FROM t")).await.unwrap().collect().await;
    let found = found.map_err(|error| error.to_string())?;
    let columns = found.iter().map(|batch| batch.column(0).as_primitive::<Float64Type>());
    Ok(columns.flat_map(|column| column.iter().collect::<Vec<_>>()).collect())
}

#[tokio::test]
async fn scores_of_rows_have_the_bits_of_score_slice_beside_any_rows() {
    fn by<R: ScoringRule>(rule: R, p: &[f64], y: &[bool]) -> Vec<f64> {
        let mut scores = vec![0.0; p.len()];
        score_slice(&rule, Probability::from_slice(p).unwrap(), y, &mut scores).unwrap();
        scores
    }
    let mut numbers = Numbers(7);
    let mut p: Vec<f64> = (0..1_000).map(|_| numbers.next()).collect();
    let y: Vec<bool> = p.iter().map(|&p| numbers.next() < p).collect();
    (p[10], p[500], p[501], p[900]) = (0.0, 5e-324, 1.0, 1e-300);
    let clipped = LogScore::clipped(1e-3).unwrap();
    let expected = [
        ("log_score(p, y)", by(LogScore::exact(), &p, &y)),
        ("log_score(p, y, 1e-3)", by(clipped, &p, &y)),
        ("log_score(p, y, CASE WHEN p < 2 THEN 1e-3 ELSE p END)", by(clipped, &p, &y)),
        ("brier_score(p, y)", by(BrierScore, &p, &y)),
        ("beta_score(p, y, 2, 4)", by(BetaScore::new(2.0, 4.0).unwrap(), &p, &y)),
    ];
    for batch_size in [1, 7, 64, 1_000] {
        // Some forecasts are NULL, and then some are none.
        let kept: Vec<bool> = p.iter().map(|_| numbers.next() < 0.8).collect();
        let rows: Vec<(Option<f64>, bool)> =
            (0..p.len()).map(|i| (kept[i].then_some(p[i]), y[i])).collect();
        let mut wrong = rows.clone();
        let places = [numbers.next(), numbers.next(), numbers.next()].map(|u| (u * 1e3) as usize);
        for (place, value) in places.into_iter().zip([1.5, -0.25, f64::NAN]) {
            wrong[place].0 = Some(value);
        }
        let first =
            wrong.iter().filter_map(|row| row.0).find(|p| !(0.0..=1.0).contains(p)).unwrap();
        for (call, expected) in &expected {
            let null = |found: Option<f64>| found.map(f64::to_bits);
            let found = scores(&rows, batch_size, call).await.unwrap();
            let of = |row: usize| kept[row].then_some(expected[row]);
            assert!((0..1_000).all(|row| null(found[row]) == null(of(row))), "{call} {batch_size}");
            let error = scores(&wrong, batch_size, call).await.unwrap_err();
            let name = call.split('(').next().unwrap();
            let wanted = format!("{name}: argument 1 (p) is {first}; it must be from 0 to 1");
            assert!(call.contains("CASE") || error.contains(&wanted), "{error}, {wanted}");
            // The forms that give NULL have it in the wrong rows only.
            let found = scores(&wrong, batch_size, &format!("try_{call}")).await.unwrap();
            let of = |row: usize| of(row).filter(|_| !places.contains(&row));
            assert!((0..1_000).all(|row| null(found[row]) == null(of(row))), "try_{call}");
        }
    }
}

#[tokio::test]
async fn a_moving_window_has_the_bits_of_its_rows_alone() {
    let rows = data(60);
    let run = Run { partitions: 2, batch_size: 7, threads: 2, skips_partial: false };
    let moving = "SELECT exact_mean(x) OVER f, auroc(p, y) OVER f, aurc(p, y, w) OVER f, \
        calibration_error(p, y, 5) OVER f FROM t \
        WINDOW f AS (ORDER BY p, x ROWS BETWEEN 9 PRECEDING AND 2 FOLLOWING) ORDER BY p, x";
    let found = printed(&query(&rows, run, moving).await);
    let mut sorted = rows.clone();
    sorted.sort_by(|a, b| a.p.total_cmp(&b.p).then(a.x.total_cmp(&b.x)));
    assert_eq!(found.len(), sorted.len());
    let alone =
        "SELECT exact_mean(x), auroc(p, y), aurc(p, y, w), calibration_error(p, y, 5) FROM t";
    for (i, found) in found.iter().enumerate() {
        let frame = &sorted[i.saturating_sub(9)..(i + 3).min(sorted.len())];
        assert_eq!(printed(&query(frame, run, alone).await), [found.as_str()], "row {i}");
    }
}
