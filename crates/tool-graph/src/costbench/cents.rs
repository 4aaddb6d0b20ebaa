/// A number rounded to two decimals as Python's `round(x, 2)` does: to the nearest hundredth of the
/// number's exact binary value, a tie to the even one.
pub(super) fn round_to_cents(value: f64) -> f64 {
    let scaled = value * 100.0;
    let whole = scaled.round_ties_even();
    // `scaled` is off by at most half a unit in its last place. Where it is further than that from
    // the middle between two whole numbers, `whole` is right, and dividing rounds it to the nearest
    // number there is.
    let from_middle = (0.5 - (scaled - whole).abs()).abs();
    if scaled.abs() < 1e15 && from_middle > scaled.abs() * f64::EPSILON {
        return whole / 100.0;
    }
    // Formatting is exact, and so is reading; what it cannot read is NaN, which it gives back.
    format!("{value:.2}").parse().unwrap_or(value)
}
