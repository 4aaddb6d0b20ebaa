use trajectory_metrics::tool_calls::{pass_at_k, pass_hat_k};

use crate::common::refused;

#[test]
fn counts_that_would_take_too_many_steps_are_refused_and_others_of_that_size_are_not() {
    let most = 1_u64 << 53;
    for (result, expected) in [
        (pass_at_k(most, 1 << 32, 1 << 32), "smaller of k and the number of successes"),
        (pass_hat_k(most, most - (1 << 30), 1 << 30), "smaller of k and the number of failures"),
        (pass_at_k(most + 1, 1, 1), "number of trials"),
        (pass_hat_k(u64::MAX, u64::MAX, 1), "number of trials"),
    ] {
        assert_eq!(refused(result), expected);
    }
    // One of the two may be large if the other is small.
    assert_eq!(pass_at_k(most, 1, most / 2), Ok(0.5));
    assert_eq!(pass_hat_k(most, most / 2, 1), Ok(0.5));
}
