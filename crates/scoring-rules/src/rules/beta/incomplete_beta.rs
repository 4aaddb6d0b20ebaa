/// The integral of `t^(a-1) (1-t)^(b-1)` from 0 to x, for `a > 0` and `b > -1`.
///
/// Not regularised, and also defined for b <= 0, for which the usual beta function is infinite: the
/// integral then grows without bound as x approaches 1.
///
/// Below a switch point, the continued fraction for the hypergeometric function converges fast and
/// nothing cancels. Above it, the integral is computed from the other end: as the whole minus the
/// other tail, or, if b is small or negative and the whole would be huge or infinite, as an expansion
/// in `1 - x` from which the singular terms, such as `((1-x)^b - 1) / b`, are taken out exactly. The
/// constant that both forms need follows from continuity at the switch point. No gamma function,
/// whose poles are near, is called.
///
/// Reference: DLMF §8.17 (https://dlmf.nist.gov/8.17), continued fraction 8.17.22 and expansion
/// 8.17.7.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct IncompleteBeta {
    a: f64,
    b: f64,
    /// If `1 - x` is below this, the integral is computed from the other end.
    switch: f64,
    constant: f64,
}

/// The expansion is used up to this b, and the complement above it.
const SMALL_B: f64 = 0.5;

impl IncompleteBeta {
    pub(super) fn new(a: f64, b: f64) -> Self {
        // The complement needs `1 - x` below the point where its own fraction converges; the
        // expansion needs `a (1 - x)` below about 1, or its terms would cancel.
        let switch = if b > SMALL_B { (b + 1.0) / (a + b + 2.0) } else { 1.0 / (a + 1.5) };
        let mut beta = Self { a, b, switch, constant: 0.0 };
        beta.constant = beta.below(1.0 - switch, switch) - beta.above(switch);
        beta
    }

    /// The integral up to x. Takes `y = 1 - x` as well, because near an end only one of the two has
    /// all digits.
    pub(super) fn at(&self, x: f64, y: f64) -> f64 {
        if x <= 0.0 {
            0.0
        } else if y >= self.switch {
            self.below(x, y)
        } else {
            self.constant + self.above(y)
        }
    }

    fn below(&self, x: f64, y: f64) -> f64 {
        continued_fraction(self.a, self.b, x, y)
    }

    /// The integral less a constant, for `y = 1 - x` near 0.
    fn above(&self, y: f64) -> f64 {
        let (a, b) = (self.a, self.b);
        if b > SMALL_B {
            return if y == 0.0 { 0.0 } else { -continued_fraction(b, a, y, 1.0 - y) };
        }
        // Among the integrated terms of the series of (1-u)^(a-1), the first is singular for b near 0
        // and the second for b near -1.
        if y == 0.0 {
            return if b > 0.0 { 1.0 / b + (1.0 - a) / (b + 1.0) } else { f64::INFINITY };
        }
        let log = y.ln();
        let grown = |power: f64| {
            // Below 1e-30 the power does not change the logarithm.
            if power.abs() < 1e-30 { log } else { (power * log).exp_m1() / power }
        };
        let singular = grown(b) + (1.0 - a) * grown(b + 1.0);
        if singular.is_infinite() {
            return -singular;
        }
        let (mut coefficient, mut sum, mut n) = ((1.0 - a) * y, 0.0, 2.0);
        loop {
            coefficient *= (n - a) / n * y;
            let term = coefficient / (b + n);
            sum += term;
            if term.abs() <= f64::EPSILON / 8.0 * sum.abs() || n > 1000.0 {
                break;
            }
            n += 1.0;
        }
        -singular - y.powf(b) * sum
    }
}

/// `x^a y^b / a / (1 + d1/(1 + d2/(1 + …)))`, evaluated from the front (modified Lentz method), for
/// `x < (a+1)/(a+b+2)`, or for b below 1 and x not too close to 1.
fn continued_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    /// Replaces a denominator of 0.
    const TINY: f64 = 1e-300;
    let nonzero = |value: f64| if value == 0.0 { TINY } else { value };
    let front = x.powf(a) * y.powf(b) / a;
    let (mut c, mut d) = (1.0, 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..10_000_u32 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        fraction *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    front * fraction
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use statrs::function::beta::{beta, beta_reg};

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_statrs_for_parameters_that_it_supports(
            a in 0.1..20.0_f64,
            b in 0.1..20.0_f64,
            x in 0.05..0.95_f64,
        ) {
            let ours = IncompleteBeta::new(a, b).at(x, 1.0 - x);
            let theirs = beta(a, b) * beta_reg(a, b, x);
            prop_assert!((ours - theirs).abs() <= 1e-11 * theirs, "{ours} {theirs}");
        }

        #[test]
        fn grows_with_x_also_across_the_switch(a in 0.01..101.0_f64, b in -0.999..101.0_f64) {
            let integral = IncompleteBeta::new(a, b);
            let mut before = 0.0;
            for step in 1..=1_000 {
                let y = 1.0 - f64::from(step) / 1_000.0;
                let value = integral.at(1.0 - y, y);
                prop_assert!(value >= before * (1.0 - 1e-14), "{step}: {before} {value}");
                before = value;
            }
        }
    }
}
