use std::hint::select_unpredictable;

/// The largest parameter with a closed form, and the number of terms of the polynomial.
const TERMS: usize = 4;

/// Minus the integral of `t^(a-1) (1-t)^(b-1)` from 0 to x, for whole a from 2 to 5 and whole b
/// from 1 to 4: `x^a` times a polynomial in `1 - x`. Its terms all have the same sign, so that
/// nothing cancels anywhere on [0, 1].
#[derive(Clone, Copy, Debug)]
pub(super) struct BetaPolynomial {
    power: i32,
    coefficients: [f64; TERMS],
}

impl BetaPolynomial {
    /// `None` unless a and b are whole numbers in range.
    pub(super) fn new(a: f64, b: f64) -> Option<Self> {
        let whole = |value: f64, least: usize, most: usize| {
            (least..=most).contains(&(value as usize)) && value.fract() == 0.0
        };
        if !whole(a, 2, TERMS + 1) || !whole(b, 1, TERMS) {
            return None;
        }
        // Integration by parts: J(a, b) = (x^a (1-x)^(b-1) + (b-1) J(a, b-1)) / (a + b - 1).
        let mut coefficients = [0.0; TERMS];
        for k in 0..b as usize {
            let sum = a + k as f64;
            coefficients[..k].iter_mut().for_each(|c| *c *= k as f64 / sum);
            coefficients[k] = -1.0 / sum;
        }
        Some(Self { power: a as i32, coefficients })
    }

    #[inline]
    pub(super) fn score(&self, x: f64, y: f64) -> f64 {
        0.0 + x.powi(self.power) * self.polynomial(y)
    }

    /// The score in branch-free code, for many rows at once.
    #[inline(always)]
    pub(super) fn score_of_row(&self, x: f64, y: f64) -> f64 {
        let square = x * x;
        // These choices are the same for all rows.
        let square_or_one = select_unpredictable(self.power >= 4, square, 1.0);
        let x_or_one = select_unpredictable(self.power % 2 == 1, x, 1.0);
        square * square_or_one * x_or_one * self.polynomial(y)
    }

    #[inline(always)]
    fn polynomial(&self, y: f64) -> f64 {
        let [c0, c1, c2, c3] = self.coefficients;
        ((c3 * y + c2) * y + c1) * y + c0
    }
}
