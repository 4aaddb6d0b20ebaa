use crate::loops::{step_weights::StepWeights, window::WINDOW};

const LANES: usize = 4;

/// The products of the factors of a window by lanes: factor i belongs to lane i modulo 4.
#[derive(Clone, Copy, Default)]
pub(super) struct Products {
    /// The product of all factors of each lane.
    plain: [f64; LANES],
    /// The product of all prefix products of each lane.
    prefixes: [f64; LANES],
}

impl Products {
    /// Multiplies factors in [0, 1].
    #[inline(always)]
    pub(super) fn new(factors: &[f64; WINDOW]) -> Self {
        let chunks = factors.as_chunks::<LANES>().0;
        let (mut plain, mut prefixes) = (chunks[0], chunks[0]);
        for chunk in &chunks[1..] {
            for lane in 0..LANES {
                plain[lane] *= chunk[lane];
                prefixes[lane] *= plain[lane];
            }
        }
        Self { plain, prefixes }
    }

    /// The product whose log is the sum with these weights, which are equal or falling.
    #[inline(always)]
    pub(super) fn weighted(&self, weights: StepWeights) -> f64 {
        if weights == StepWeights::Equal { self.plain() } else { self.falling_powers() }
    }

    /// `x1 x2 … xn`; 0 if it is too small for a number to keep all digits.
    #[inline(always)]
    fn plain(&self) -> f64 {
        let [a, b, c, d] = self.plain;
        normal_or_zero((a * b) * (c * d))
    }

    /// `x1^n x2^(n-1) … xn^1`; 0 if it is too small for a number to keep all digits.
    ///
    /// A product of prefix products has such exponents without computing a power: each factor is part of all prefixes from its
    /// own on. Exponents within a lane fall by 4, hence the fourth power; dividing by powers of the plain products corrects the
    /// rest.
    #[inline(always)]
    fn falling_powers(&self) -> f64 {
        let [a, b, c, d] = self.prefixes;
        let [_, once, twice, thrice] = self.plain;
        let all = (a * b) * (c * d);
        let square = all * all;
        let excess = (once * (twice * twice)) * (thrice * thrice * thrice);
        // All intermediate products are larger, so none has lost a digit.
        normal_or_zero(square * square) / excess.max(f64::MIN_POSITIVE)
    }
}

#[inline(always)]
fn normal_or_zero(product: f64) -> f64 {
    if product >= f64::MIN_POSITIVE { product } else { 0.0 }
}
