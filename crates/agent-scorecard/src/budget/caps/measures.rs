//! The keys, measures and targets of the report on caps.

use trajectory_metrics::Measure;

use crate::metrics::measure;

/// The minimum share of the successes, in percent, that a harmless cap keeps.
pub(super) const ENOUGH: usize = 95;

pub(super) const MONEY: &str = "cost_usd";

macro_rules! lowest {
    ($key:literal, $share:literal) => {
        measure! { $key, concat!("lowest cap that keeps ", $share), Neither, in [0.0, f64::INFINITY],
            concat!("Lowest cap that would have kept at least ", $share, " of the successes, even if every success with unknown spending needed more. The interval is for the lowest such cap over all possible runs of this kind.") }
    };
}

/// The lowest caps that keep given shares of the successes, in percent.
pub(super) const LOWEST: [(usize, Measure); 3] = [
    (90, lowest!("cap_keeping_90", "90 %")),
    (ENOUGH, lowest!("cap_keeping_95", "95 %")),
    (99, lowest!("cap_keeping_99", "99 %")),
];
pub(super) const LOST: Measure = measure! { "n_ended_successes", "successes lost", Lower, in [0.0, f64::INFINITY],
"Number of successful runs that are known to have spent more than the cap." };
pub(super) const FAILED: Measure = measure! { "n_ended_failures", "failures ended", Neither, in [0.0, f64::INFINITY],
"Number of failed runs that are known to have spent more than the cap, except runs that a limit ended." };
pub(super) const AT_LIMIT: Measure = measure! { "n_ended_cut_off", "runs ended before their limit", Neither, in [0.0, f64::INFINITY],
"Number of failed runs that are known to have spent more than the cap before a limit ended them." };
pub(super) const KEPT: Measure = measure! { "kept_share", "successes kept", Higher, in [0.0, 1.0],
"Of the successful runs, the share that is known to have spent at most the cap. The interval and kept_share_highest allow for every possible spending of the successes whose spending is not known." };
pub(super) const SAVED: Measure = measure! { "saved_share", "share saved", Higher, in [0.0, 1.0],
"Share of the spending that lies above the cap, over the runs whose spending is known. In JSON, saved is the amount above the cap and spent is the rest." };
pub(super) const SAVED_USD: Measure = measure! { "saved_usd_share", "share of USD saved", Higher, in [0.0, 1.0],
"Share of the money that was spent after the turn in which the cap was reached, over the runs whose cost is known." };

/// The measures in the report on caps: the lowest caps that keep 90 %, 95 % and 99 % of the successes, then the
/// measures of each cap in the list `caps` of the report.
pub const CAP_MEASURES: [Measure; 9] =
    [LOWEST[0].1, LOWEST[1].1, LOWEST[2].1, KEPT, LOST, FAILED, AT_LIMIT, SAVED, SAVED_USD];

/// The keys of the numbers of successes and failures whose spending is not known.
pub(super) const LEFT_OUT: [&str; 2] = ["n_left_out_successes", "n_left_out_failures"];
/// The keys of the number of successes that a cap may have kept, and of the highest possible share that it kept.
pub(super) const UNKNOWN: &str = "n_unknown_successes";
pub(super) const HIGHEST: &str = "kept_share_highest";

/// The keys of the spending up to a cap and of the saving.
pub(super) const SPENT: &str = "spent";
pub(super) const SAVED_AMOUNT: &str = "saved";

/// Returns the name of a resource's unit.
pub(super) fn unit(resource: &str) -> String {
    if resource == MONEY { "USD".to_owned() } else { resource.replace('_', " ") }
}
