//! Bootstrap, cluster-robust errors and the permutation test: reference values and laws.
mod at_the_ends;
mod bootstrap;
mod coverage;
mod laws;
mod one_cluster;
mod reference_values;
mod replicates;
mod same_bits;
mod simulations;
mod small_samples;
