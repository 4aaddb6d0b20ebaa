/// Rounds to two decimals like Python's `round(x, 2)`: to the hundredth nearest to the exact binary
/// value, and ties to even.
pub(super) fn round_to_cents(value: f64) -> f64 {
    let scaled = value * 100.0;
    let whole = scaled.round_ties_even();
    // The error of `scaled` is at most half a unit in its last place. If `scaled` is further than that
    // from the middle between two whole numbers, `whole` is correct.
    let from_middle = (0.5 - (scaled - whole).abs()).abs();
    if scaled.abs() < 1e15 && from_middle > scaled.abs() * f64::EPSILON {
        return whole / 100.0;
    }
    // Formatting and parsing are exact. NaN and infinities come back unchanged.
    format!("{value:.2}").parse().unwrap_or(value)
}
