//! The keys of the counts, texts and blocks of a report that its sentences look up: a key with a typing error does not
//! compile. The keys of figures are those of their measures.
#![allow(non_upper_case_globals)]

macro_rules! keys {
    ($($key:ident)*) => { $(pub(crate) const $key: &str = stringify!($key);)* };
}

keys! {
    alpha blocked bounds by_progress cap caps change_in_standard_errors claimed_coverage clustered_by_task comparisons excluded
    from left_out mean_score metrics min_tau_b n n_censored n_complete n_excluded n_failed_rollouts n_false_aborts n_feasible
    n_feasible_rollouts n_hidden n_hits n_intervals n_kept n_left_out n_partial n_prefixes n_priced n_rollouts
    n_stopped_failed_rollouts n_stopped_feasible_rollouts n_unanswered pairing pools queries rule runs schedule to
}
