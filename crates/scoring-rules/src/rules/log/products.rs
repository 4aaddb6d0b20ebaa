/// `x1^n x2^(n-1) … xn^1` for factors in [0, 1], given in pairs. The first pair stands apart, because
/// the lanes start with it. Zero if the product is too small for a number to keep all digits.
///
/// A product of prefix products has such exponents without computing a power: each factor is part of
/// all prefixes from its own on. The first and the second factors of the pairs go through separate
/// lanes, so that their multiplications do not wait for each other. Exponents within a lane fall by
/// 2, hence the square at the end; dividing by the product of the second lane corrects the rest.
#[inline]
pub(super) fn falling_powers(first: [f64; 2], pairs: impl Iterator<Item = [f64; 2]>) -> f64 {
    let (mut prefix, mut all) = (first, first);
    for x in pairs {
        prefix = [prefix[0] * x[0], prefix[1] * x[1]];
        all = [all[0] * prefix[0], all[1] * prefix[1]];
    }
    let square = (all[0] * all[1]) * (all[0] * all[1]);
    // All intermediate products are larger, so none has lost a digit.
    if square >= f64::MIN_POSITIVE { square / prefix[1] } else { 0.0 }
}

/// `x1 x2 … xn`, with the same arguments and the same result for small products.
#[inline]
pub(super) fn plain(first: [f64; 2], pairs: impl Iterator<Item = [f64; 2]>) -> f64 {
    let lanes = pairs.fold(first, |lanes, x| [lanes[0] * x[0], lanes[1] * x[1]]);
    let product = lanes[0] * lanes[1];
    if product >= f64::MIN_POSITIVE { product } else { 0.0 }
}
