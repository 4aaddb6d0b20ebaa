//! Bootstrap, cluster-robust errors and the permutation test: reference values and laws.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod at_the_ends;
mod bca;
mod bootstrap;
mod coverage;
mod laws;
mod one_cluster;
mod reference_values;
mod replicates;
mod simulations;
mod small_samples;
#[cfg(feature = "rayon")]
mod threads;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardUniform};
use trajectory_metrics::{Arm, Error, ExactMean, Level, Weight};

fn level_of(value: f64) -> Level {
    Level::new(value).unwrap()
}

/// Uniform numbers for simulations.
fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    StandardUniform.sample(generator)
}

/// The mean by a closure on counts.
fn counted_mean(values: &[f64], weights: &[f64], counts: &[u32]) -> Result<f64, Error> {
    let mut mean = ExactMean::default();
    for ((&value, &weight), &count) in values.iter().zip(weights).zip(counts) {
        mean.update_weighted(value, Weight::new(weight * f64::from(count)).unwrap())?;
    }
    Ok(mean.finish()?)
}

/// The arms of rows, the second where marked.
fn arms(second: &[bool]) -> Vec<Arm> {
    second.iter().map(|&second| Arm::second_if(second)).collect()
}
