//! The beta family of scores and the incomplete beta integrals that it needs.

pub(crate) mod beta_score;
mod divergence;
mod incomplete_beta;
mod polynomial;
mod table;
