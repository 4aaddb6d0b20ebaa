/// `1 / (1 + e^-z)`, to all digits on both sides.
pub(crate) fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        let odds = z.exp();
        odds / (1.0 + odds)
    }
}

/// `ln(p / (1 - p))`, to all digits also near one half.
pub(crate) fn logit(p: f64) -> f64 {
    if (p - 0.5).abs() < 0.25 {
        ((2.0 * p - 1.0) / (1.0 - p)).ln_1p()
    } else {
        (p / (1.0 - p)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_odds_keep_their_digits_at_the_middle_and_at_the_ends() {
        approx::assert_relative_eq!(
            logit(0.5_f64.next_up()),
            2.0 * f64::EPSILON,
            epsilon = 0.0,
            max_relative = 1e-15
        );
        // logit(1/2 + d) = 4 d + 16/3 d^3 + …
        let d = 0.1_f64.powi(9);
        approx::assert_relative_eq!(
            logit(0.5 + d),
            4.0 * ((0.5 + d) - 0.5),
            epsilon = 0.0,
            max_relative = 1e-15
        );
        approx::assert_relative_eq!(
            logit(1e-300),
            1e-300_f64.ln(),
            epsilon = 0.0,
            max_relative = 1e-15
        );
        for z in [-700.0, -30.0, -1.2, -1e-9, 0.0, 1e-3, 1.0, 20.0] {
            approx::assert_relative_eq!(logit(sigmoid(z)), z, epsilon = 1e-15, max_relative = 1e-8);
        }
    }
}
