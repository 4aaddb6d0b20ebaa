/// `1/(start + 1) + 1/(start + 2) + … + 1/(start + span)`, extended to real numbers: the difference
/// of the digamma function at `start + span + 1` and at `start + 1`.
pub(crate) fn harmonic_span(start: f64, span: f64) -> f64 {
    if span.fract() == 0.0 && span <= 16.0 {
        return (1..=span as u32).fold(0.0, |sum, j| sum + 1.0 / (start + f64::from(j)));
    }
    // Shift by psi(z + 1) = psi(z) + 1/z to where the asymptotic series is accurate to rounding.
    let (mut z, mut sum) = (start + 1.0, 0.0);
    while z < 16.0 {
        sum += span / (z * (z + span));
        z += 1.0;
    }
    // psi(z) = ln z - 1/(2 z) - sum over k of B_2k / (2 k z^2k). The difference of each term is
    // written without cancellation.
    let end = z + span;
    let (a, b) = (1.0 / z, 1.0 / end);
    let gap = span * a * b;
    let squares = gap * (a + b);
    let fourths = squares * (a * a + b * b);
    let sixths = squares * (a.powi(4) + a * a * b * b + b.powi(4));
    let eighths = fourths * (a.powi(4) + b.powi(4));
    let tenths = squares
        * (a.powi(8) + a.powi(6) * b.powi(2) + (a * b).powi(4) + a.powi(2) * b.powi(6) + b.powi(8));
    sum + (span * a).ln_1p() + gap / 2.0 + squares / 12.0 - fourths / 120.0 + sixths / 252.0
        - eighths / 240.0
        + tenths / 132.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harmonic_span_of_whole_numbers_is_a_sum() {
        for start in [0.0, 1.0, 3.0, 20.0, 1e6] {
            for span in [1.0, 2.0, 17.0, 40.0, 1_000.0] {
                let sum: f64 = (1..=span as u32).map(|j| 1.0 / (start + f64::from(j))).sum();
                approx::assert_relative_eq!(
                    harmonic_span(start, span),
                    sum,
                    epsilon = 0.0,
                    max_relative = 1e-14
                );
            }
        }
    }

    #[test]
    fn the_harmonic_span_of_real_numbers_adds_up() {
        // From 0.3 to 5.8 in two ways, and one step against its definition.
        let whole = harmonic_span(0.3, 5.5);
        approx::assert_relative_eq!(
            harmonic_span(0.3, 2.2) + harmonic_span(2.5, 3.3),
            whole,
            epsilon = 0.0,
            max_relative = 1e-14
        );
        let one = harmonic_span(0.5, 0.25) + harmonic_span(0.75, 0.75);
        approx::assert_relative_eq!(one, 1.0 / 1.5, epsilon = 0.0, max_relative = 1e-14);
        // Two halves of a step beyond 15, where the series is all there is.
        for start in [15.0, 15.25, 16.0] {
            approx::assert_relative_eq!(
                harmonic_span(start, 0.5) + harmonic_span(start + 0.5, 0.5),
                1.0 / (start + 1.0),
                epsilon = 0.0,
                max_relative = 3e-15
            );
        }
    }
}
