use std::f64::consts::LN_2;

/// `x1^n x2^(n-1) … xn^1` for factors in [0, 1], given in pairs. The first pair stands apart, so
/// that an odd number of factors can be filled up with a one in front. Zero where the product is
/// too small for a number to hold it with all digits.
///
/// A product of prefix products carries such weights without a power: each factor stands in all
/// prefixes from its own on. The first and the second of the pairs go through two lanes, so that
/// one lane's multiplications need not wait for the other's. Weights within a lane fall by 2, hence
/// the square at the end, from which the second lane's product takes back what is too much.
#[inline]
pub(crate) fn product_of_falling_powers(
    first: [f64; 2],
    pairs: impl Iterator<Item = [f64; 2]>,
) -> f64 {
    let [prefix, all] = lanes(pairs, [first; 2]);
    let square = (all[0] * all[1]) * (all[0] * all[1]);
    // All numbers on the way were larger, so none has lost a digit.
    if square >= f64::MIN_POSITIVE { square / prefix[1] } else { 0.0 }
}

/// `x1 x2 … xn`, likewise.
#[inline]
pub(crate) fn plain_product(first: [f64; 2], pairs: impl Iterator<Item = [f64; 2]>) -> f64 {
    let lanes = pairs.fold(first, |lanes, x| [lanes[0] * x[0], lanes[1] * x[1]]);
    let product = lanes[0] * lanes[1];
    if product >= f64::MIN_POSITIVE { product } else { 0.0 }
}

/// The logarithm of that product, however small, with the powers of two split off before a lane can
/// underflow: every `safe_pairs` pairs. `None` where single factors are so small that digits are
/// lost all the same.
pub(crate) fn log_of_falling_powers(
    first: [f64; 2],
    mut pairs: impl ExactSizeIterator<Item = [f64; 2]>,
    safe_pairs: usize,
) -> Option<f64> {
    let first = [Product::new(first[0])?, Product::new(first[1])?];
    let (mut prefix, mut all) = (first, first);
    while pairs.len() > 0 {
        let taken = pairs.len().min(safe_pairs);
        let start = [prefix.map(|product| product.mantissa), all.map(|product| product.mantissa)];
        let [p, a] = lanes(pairs.by_ref().take(taken), start);
        for lane in 0..2 {
            all[lane].exponent += prefix[lane].exponent * taken as i64;
            all[lane].set(a[lane])?;
            prefix[lane].set(p[lane])?;
        }
    }
    let product = all[0].times(all[1]);
    Some(product.times(product).over(prefix[1]).log())
}

/// Runs pairs through both lanes: per lane, the product so far and the product of all products so
/// far.
#[inline(always)]
fn lanes(pairs: impl Iterator<Item = [f64; 2]>, start: [[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let [mut prefix, mut all] = start;
    for x in pairs {
        prefix = [prefix[0] * x[0], prefix[1] * x[1]];
        all = [all[0] * prefix[0], all[1] * prefix[1]];
    }
    [prefix, all]
}

/// `ln (x1 x2 … xn)`, in pairs and `None` as above.
#[inline]
pub(crate) fn log_of_product(
    first: [f64; 2],
    mut pairs: impl ExactSizeIterator<Item = [f64; 2]>,
    safe_pairs: usize,
) -> Option<f64> {
    let mut product = Product::new(first[0])?.times(Product::new(first[1])?);
    while pairs.len() > 0 {
        let taken = pairs.len().min(safe_pairs);
        let mut lanes = [1.0; 2];
        for x in pairs.by_ref().take(taken) {
            lanes = [lanes[0] * x[0], lanes[1] * x[1]];
        }
        product.set(product.mantissa * lanes[0])?;
        product.set(product.mantissa * lanes[1])?;
    }
    Some(product.log())
}

/// How many factors not below `least` a lane can take before it must be looked after:
/// `least^(k (k + 1) / 2)` must be a normal number. Where nothing is known of the factors, 2^-62
/// stands in; smaller ones make the result `None`.
pub(crate) fn safe_pairs(least: f64) -> usize {
    let bits = bits(least);
    // k (k + 1) / 2 * bits <= 1000, solved for k.
    (((8.0 * 1000.0 / bits + 1.0).sqrt() - 1.0) / 2.0) as usize
}

/// How many such factors a plain product of numbers from 1 to 2 can take.
pub(crate) fn safe_factors(least: f64) -> usize {
    (1000.0 / bits(least)) as usize
}

fn bits(least: f64) -> f64 {
    -least.max(0.5_f64.powi(62)).log2()
}

/// `mantissa * 2^exponent`, for products beyond the range of a number.
#[derive(Clone, Copy)]
struct Product {
    mantissa: f64,
    exponent: i64,
}

impl Product {
    /// `None` as [`Self::set`].
    #[inline]
    fn new(value: f64) -> Option<Self> {
        let mut product = Self { mantissa: 1.0, exponent: 0 };
        product.set(value)?;
        Some(product)
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a lane takes a factor before its number falls below 2^-1000.
    fn taken(least: f64, mut take: impl FnMut(f64) -> f64) -> usize {
        let least = least.max(0.5_f64.powi(62));
        (0..).take_while(|_| take(least) >= 0.5_f64.powi(1000)).count()
    }

    #[test]
    fn a_lane_takes_as_many_factors_as_a_number_holds() {
        for sixth in 7..420 {
            let least = 0.5_f64.powf(f64::from(sixth) / 6.123);
            let mut product = 1.0;
            let plain = taken(least, |x| {
                product *= x;
                product
            });
            assert_eq!(safe_factors(least), plain, "{least}");
            let (mut prefix, mut all) = (1.0, 1.0);
            let falling = taken(least, |x| {
                prefix *= x;
                all *= prefix;
                all
            });
            assert_eq!(safe_pairs(least), falling, "{least}");
        }
        assert_eq!(safe_factors(0.0), 16);
        assert_eq!(safe_pairs(0.0), 5);
    }
}
