/// Returns the 64-bit FNV-1a hash of the bytes. The hash distinguishes texts, but does not protect against an
/// adversary.
///
/// Only the concatenated bytes matter, not their division into parts. If the boundary between parts matters,
/// hash the length of each part as well.
///
/// ```
/// use trajectory_metrics::random::fnv1a;
///
/// assert_eq!(fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
/// ```
///
/// Reference: Fowler, Noll and Vo, RFC 9923.
#[must_use]
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
