//! Examinations that test whether a scoring rule is proper, and return a counterexample if it is not.
//!
//! [`Examination::new`] tests a scoring rule for yes/no events, and [`IntervalExamination::new`] a score of intervals.
//! Both only evaluate the given rule. A counterexample can be checked by hand. Without a counterexample, only the
//! statements of the result are certain.
//!
//! References: Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and
//! estimation, doi:10.1198/016214506000001437; Schervish (1989), A general method for comparing
//! probability assessors, doi:10.1214/aos/1176347398.

mod candidates;
mod counterexample;
mod distribution;
mod examination;
mod examine;
mod examine_interval;
mod gain;
mod interval_examination;
mod reports;
mod scored;
mod shapes;
mod shown;
mod ties;

pub use examination::{Certainty, Counterexample, Examination, Verdict};
pub use interval_examination::{IntervalCounterexample, IntervalExamination};
