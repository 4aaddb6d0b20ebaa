use super::*;

#[test]
fn log_odds_keep_their_digits_at_the_middle_and_at_the_ends() {
    let close = |found, expected| {
        approx::assert_relative_eq!(found, expected, epsilon = 0.0, max_relative = 1e-15);
    };
    close(logit(0.5_f64.next_up()), 2.0 * f64::EPSILON);
    // logit(1/2 + d) = 4 d + 16/3 d^3 + …
    let d = 0.1_f64.powi(9);
    close(logit(0.5 + d), 4.0 * ((0.5 + d) - 0.5));
    close(logit(1e-300), 1e-300_f64.ln());
    for z in [-700.0, -30.0, -1.2, -1e-9, 0.0, 1e-3, 1.0, 20.0] {
        approx::assert_relative_eq!(logit(sigmoid(z)), z, epsilon = 1e-15, max_relative = 1e-8);
    }
}
