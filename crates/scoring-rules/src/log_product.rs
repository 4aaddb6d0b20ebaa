use std::{f64::consts::LN_2, ops::Range};

/// `ln (x1^n x2^(n-1) … xn^1)` for factors in [0, 1]; `None` where factors are so small that the
/// product would lose digits.
///
/// A product of prefix products carries such weights without a power: each factor stands in all
/// prefixes from its own on. Odd and even steps go through two lanes, so that one lane's
/// multiplications need not wait for the other's. Weights within a lane fall by 2, hence the
/// square at the end, and what it has too much or too little of each lane is set right by one
/// plain product.
#[inline]
pub(crate) fn log_of_falling_powers(
    factor: impl Fn(usize) -> f64,
    n: usize,
    pairs: usize,
) -> Option<f64> {
    /// Up to here a product of usual factors stays in the range of a number.
    const SHORT: usize = 32;
    if n <= SHORT {
        let [p, a] = lanes(&factor, 0..n / 2, [[1.0; 2]; 2]);
        let square = (a[0] * a[1]) * (a[0] * a[1]);
        let (least, product) = if n.is_multiple_of(2) {
            (square, square / p[1])
        } else {
            let product = square * (p[0] * factor(n - 1));
            (product, product)
        };
        // All numbers on the way were larger, so none has lost a digit.
        if least >= f64::MIN_POSITIVE {
            return Some(product.ln());
        }
    }
    log_of_split_product(factor, n, pairs)
}

/// The same with the powers of two split off before a lane can underflow: every `pairs` pairs,
/// which is safe as long as `least_factor^(pairs (pairs + 1) / 2)` is a normal number.
#[cold]
#[inline(never)]
fn log_of_split_product(factor: impl Fn(usize) -> f64, n: usize, pairs: usize) -> Option<f64> {
    let (mut prefix, mut all) = ([Product::ONE; 2], [Product::ONE; 2]);
    let mut done = 0;
    while done < n / 2 {
        let end = (done + pairs).min(n / 2);
        let start = [prefix.map(|product| product.mantissa), all.map(|product| product.mantissa)];
        let [p, a] = lanes(&factor, done..end, start);
        for lane in 0..2 {
            all[lane].exponent += prefix[lane].exponent * (end - done) as i64;
            all[lane].set(a[lane])?;
            prefix[lane].set(p[lane])?;
        }
        done = end;
    }
    let mut product = all[0].times(all[1]);
    product = product.times(product);
    if n.is_multiple_of(2) {
        product = product.over(prefix[1]);
    } else {
        let mut last = Product::ONE;
        last.set(factor(n - 1))?;
        product = product.times(prefix[0]).times(last);
    }
    Some(product.log())
}

/// Runs the given pairs through both lanes: per lane, the product so far and the product of all
/// products so far.
#[inline(always)]
fn lanes(
    factor: impl Fn(usize) -> f64,
    pairs: Range<usize>,
    start: [[f64; 2]; 2],
) -> [[f64; 2]; 2] {
    let [mut prefix, mut all] = start;
    for pair in pairs {
        let x = [factor(2 * pair), factor(2 * pair + 1)];
        prefix = [prefix[0] * x[0], prefix[1] * x[1]];
        all = [all[0] * prefix[0], all[1] * prefix[1]];
    }
    [prefix, all]
}

/// How many pairs of factors not below `least` a lane can take before it must be looked after.
/// Where nothing is known of the factors, 2^-62 stands in; smaller ones make the result `None`.
pub(crate) fn safe_pairs(least: f64) -> usize {
    let bits = -least.max(0.5_f64.powi(62)).log2();
    // k (k + 1) / 2 * bits <= 1000, solved for k.
    (((8.0 * 1000.0 / bits + 1.0).sqrt() - 1.0) / 2.0) as usize
}

/// `mantissa * 2^exponent`, for products beyond the range of a number.
#[derive(Clone, Copy)]
struct Product {
    mantissa: f64,
    exponent: i64,
}

impl Product {
    const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Replaces the mantissa and moves its power of two into the exponent; `None` for zero and for
    /// subnormal numbers, which have lost digits already.
    #[inline]
    fn set(&mut self, mantissa: f64) -> Option<()> {
        if mantissa < f64::MIN_POSITIVE {
            return None;
        }
        let bits = mantissa.to_bits();
        self.mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
        self.exponent += (bits >> 52) as i64 - 1023;
        Some(())
    }

    #[inline]
    fn times(self, other: Self) -> Self {
        Self { mantissa: self.mantissa * other.mantissa, exponent: self.exponent + other.exponent }
    }

    #[inline]
    fn over(self, other: Self) -> Self {
        Self { mantissa: self.mantissa / other.mantissa, exponent: self.exponent - other.exponent }
    }

    #[inline]
    fn log(self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * LN_2
    }
}

/// `ln (x1 x2 … xn)`; `None` as above.
#[inline]
pub(crate) fn log_of_product(factor: impl Fn(usize) -> f64, n: usize, pairs: usize) -> Option<f64> {
    let mut product = Product::ONE;
    let mut done = 0;
    while done < n {
        let end = (done + pairs).min(n);
        let mut mantissa = product.mantissa;
        for step in done..end {
            mantissa *= factor(step);
        }
        product.set(mantissa)?;
        done = end;
    }
    Some(product.log())
}
