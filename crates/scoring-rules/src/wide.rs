//! Loops that are compiled for the vector registers of the machine.

/// Runs a loop as it is compiled for AVX-512 or AVX2, if the processor has them. What the loop calls and does not
/// inline is compiled for the baseline, with the same result.
///
/// The bits of the result do not depend on the registers: the operations are those of the source in its order, and a
/// multiplication is never fused with an addition.
#[inline(always)]
pub(crate) fn wide<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(all(feature = "simd", any(target_arch = "x86", target_arch = "x86_64")))]
    {
        use fearless_simd::{Level, Simd};

        let level = Level::new();
        if let Some(avx512) = level.as_avx512().filter(|_| is_allowed(512)) {
            return avx512.vectorize(work);
        }
        if let Some(avx2) = level.as_avx2().filter(|_| is_allowed(256)) {
            return avx2.vectorize(work);
        }
    }
    work()
}

/// Whether registers of so many bits may be used; tests forbid some.
#[cfg(all(feature = "simd", any(target_arch = "x86", target_arch = "x86_64")))]
#[inline(always)]
fn is_allowed(_bits: u32) -> bool {
    #[cfg(test)]
    return _bits <= tests::MOST.get();
    #[cfg(not(test))]
    true
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::{
        BetaScore, BrierScore, ExactSum, LogScore, PowerScore, Probability, Runs, ScoringRule,
        SphericalScore, StepWeights, from_fn,
    };

    thread_local! {
        pub(super) static MOST: Cell<u32> = const { Cell::new(512) };
    }

    /// Forecasts of all sizes, certain ones among them.
    fn forecast(i: usize) -> f64 {
        let share = (i as f64 * 0.618_033_988_75).fract();
        match i % 9 {
            0 => share.powi(40),
            1 => 1.0 - share.powi(20),
            2 if i.is_multiple_of(5) => (i % 2) as f64,
            _ => share,
        }
    }

    #[test]
    fn registers_of_every_width_give_the_same_bits() {
        let n = 3_011;
        let values: Vec<f64> = (0..n).map(forecast).collect();
        let forecasts = Probability::from_slice(&values).unwrap();
        let outcomes: Vec<bool> = (0..n).map(|i| i * i % 7 < 3).collect();
        // Runs of 0 to 40 steps.
        let ends: Vec<usize> = (0..n).step_by(3).flat_map(|end| [end, end + end % 41]).collect();
        let ends: Vec<usize> = ends
            .into_iter()
            .scan(0, |last, end| {
                *last = end.max(*last);
                Some(*last)
            })
            .filter(|&end| end <= n)
            .collect();
        let runs = Runs::new(forecasts, 0, &ends, &outcomes[..ends.len()]).unwrap();
        let absolute = from_fn(|p: Probability, outcome| -(p.get() - f64::from(outcome)).abs());
        let rules: [&dyn ScoringRule; 9] = [
            &LogScore::exact(),
            &LogScore::clipped(1e-6).unwrap(),
            &BrierScore,
            &SphericalScore,
            &BetaScore::new(2.0, 4.0).unwrap(),
            &BetaScore::new(1.0, 3.0).unwrap(),
            &BetaScore::new(0.5, 1.7).unwrap(),
            &PowerScore::new(1.5, crate::Level::HALF).unwrap(),
            &absolute,
        ];
        for rule in rules {
            let found = [128, 256, 512].map(|bits| {
                MOST.set(bits);
                let mut scores = vec![0.0; n];
                rule.fill_scores(forecasts, &outcomes, &mut scores);
                for rows in [7, 8, 9, 127, 1024, n] {
                    scores.push(rule.sum_scores(&forecasts[..rows], &outcomes[..rows]));
                }
                for weights in [StepWeights::Equal, StepWeights::Falling, StepWeights::Rising] {
                    // The last one has no run.
                    let mut sums = vec![0.25; ends.len() + 1];
                    rule.weighted_sums(runs, weights, &mut sums);
                    assert_eq!(sums.last(), Some(&0.25));
                    scores.append(&mut sums);
                }
                // Leading, next and remaining bits of a block, in numbers of 60 orders of magnitude.
                let terms = (0..1_000).map(|i| forecast(i) * 10.0_f64.powi(i as i32 % 60 - 30));
                scores.push(terms.collect::<ExactSum>().value());
                scores.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            });
            MOST.set(512);
            assert_eq!(found[0], found[1]);
            assert_eq!(found[0], found[2]);
        }
    }
}
