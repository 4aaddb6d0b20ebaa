use rand::Rng;

/// Draws uniformly from the multiples of 2^-53 in [0, 1), with the leading bits of one word. The code is
/// part of this crate so that draws do not change with the version of a library.
///
/// ```
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
/// use trajectory_metrics::random::unit;
///
/// let mut generator = ChaCha8Rng::seed_from_u64(7);
/// assert!((0.0..1.0).contains(&unit(&mut generator)));
/// ```
pub fn unit(generator: &mut impl Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
