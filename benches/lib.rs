//! Work for the benchmarks, of the same kind as `rivals.py` does.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trajectory_metrics::Traces;

/// Traces of 5 to 15 steps with uniform forecasts and outcomes by a fair coin, at least `steps`
/// steps together.
///
/// # Panics
///
/// Never: what it makes is valid.
#[must_use]
pub fn random_traces(steps: usize, seed: u64) -> Traces {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut ends, mut outcomes) = (Vec::new(), Vec::new(), Vec::new());
    while values.len() < steps {
        values.extend((0..rng.random_range(5..=15)).map(|_| rng.random::<f64>()));
        ends.push(values.len());
        outcomes.push(rng.random::<bool>());
    }
    #[allow(clippy::expect_used, reason = "forecasts and ends are made to fit three lines above")]
    Traces::from_flat(&values, &ends, &outcomes).expect("valid traces")
}

/// Uniform forecasts and fair outcomes.
#[must_use]
pub fn random_rows(rows: usize, seed: u64) -> (Vec<f64>, Vec<bool>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..rows).map(|_| (rng.random::<f64>(), rng.random::<bool>())).unzip()
}

/// What this thread has had of a processor, in seconds and steps of a few milliseconds, where Linux tells.
#[must_use]
pub fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(stat.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}
