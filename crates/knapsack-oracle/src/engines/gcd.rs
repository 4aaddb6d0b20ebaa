/// Returns the greatest common divisor. `gcd(0, a)` and `gcd(a, 0)` are `a`.
pub(crate) const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
