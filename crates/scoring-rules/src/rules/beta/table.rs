use crate::rules::beta::incomplete_beta::IncompleteBeta;

/// Octaves towards either end: the table reaches to 2^-20, just below 1e-6.
const OCTAVES: u64 = 20;
/// Pieces of an octave, as a power of two.
const PIECE_BITS: u32 = 3;
/// Terms of a piece's Taylor series.
const TERMS: usize = 12;
/// Bits of a number that do not choose its piece.
const LOW_BITS: u32 = 52 - PIECE_BITS;
/// The piece that starts at 2^-20, counted from the smallest number.
const FIRST: u64 = (1023 - OCTAVES) << PIECE_BITS;
/// All pieces from 2^-20 to 1/2, and the one that starts at 1/2.
const PIECES: u64 = ((OCTAVES - 1) << PIECE_BITS) + 1;

/// The integral of `t^(a-1) (1-t)^(b-1)` from 0 to x as a table of Taylor series.
///
/// The integrand is smooth on the scale of the distance to the nearer end. Pieces are therefore equal
/// parts of octaves of that distance, and the leading bits of the number are its index in the table.
#[derive(Clone)]
pub(super) struct BetaTable {
    /// For each piece, the series near 0 and the series near 1.
    pieces: Box<[[Series; 2]]>,
}

type Series = [f64; TERMS];

impl BetaTable {
    /// `None` if twelve terms are not accurate enough, which is so for parameters in the tens.
    pub(super) fn new(a: f64, b: f64, integral: &IncompleteBeta) -> Option<Self> {
        let pieces: Option<Box<[_]>> = (FIRST..FIRST + PIECES)
            .map(|piece| {
                let z = centre(piece << LOW_BITS);
                // Near 0 the distance is x and the integral grows with it; near 1 it is 1 - x.
                let near_0 = series(integral.at(z, 1.0 - z), 1.0, a - 1.0, b - 1.0, z)?;
                let near_1 = series(integral.at(1.0 - z, z), -1.0, b - 1.0, a - 1.0, z)?;
                Some([near_0, near_1])
            })
            .collect();
        Some(Self { pieces: pieces? })
    }

    /// The integral up to x, `y` being `1 - x`; `None` beyond the table's ends.
    #[inline]
    pub(super) fn at(&self, x: f64, y: f64) -> Option<f64> {
        let z = if x < y { x } else { y };
        let bits = z.to_bits();
        // Numbers below the first piece wrap around to an index above the last.
        let piece = (bits >> LOW_BITS).wrapping_sub(FIRST);
        let series = &self.pieces.get(piece as usize)?[usize::from(x >= y)];
        let d = z - centre(bits);
        // Even and odd powers apart: two chains of half the length.
        let square = d * d;
        let mut sums = [0.0; 2];
        for pair in series.as_chunks::<2>().0.iter().rev() {
            sums = [sums[0] * square + pair[0], sums[1] * square + pair[1]];
        }
        Some(sums[0] + sums[1] * d)
    }
}

/// The middle of the piece that contains the number with these bits.
#[inline]
fn centre(bits: u64) -> f64 {
    f64::from_bits((bits >> LOW_BITS << LOW_BITS) | 1 << (LOW_BITS - 1))
}

/// The Taylor series, about z, of a function of value `value` and derivative
/// `sign * z^e0 (1-z)^e1`; `None` if it converges too slowly for the width of a piece.
fn series(value: f64, sign: f64, e0: f64, e1: f64, z: f64) -> Option<Series> {
    let mut series = [0.0; TERMS];
    series[0] = value;
    // The derivative g solves z (1-z) g' = (e0 (1-z) - e1 z) g, which gives its coefficients by a
    // recurrence of two terms.
    let (scale, slope) = (z * (1.0 - z), 1.0 - 2.0 * z);
    let logarithmic = e0 * (1.0 - z) - e1 * z;
    let (mut before, mut g) = (0.0, sign * z.powf(e0) * (1.0 - z).powf(e1));
    for n in 0..TERMS - 1 {
        let k = n as f64;
        series[n + 1] = g / (k + 1.0);
        let next =
            ((logarithmic - slope * k) * g + (k - 1.0 - e0 - e1) * before) / (scale * (k + 1.0));
        (before, g) = (g, next);
    }
    // A piece starts at 2^k (1 + j/8) and is 2^k/8 wide, so z is at least 17 half widths.
    let half_width = z / 17.0;
    let cut_off = g.abs() * half_width.powi(TERMS as i32) / TERMS as f64;
    (cut_off <= 1e-14 * value.abs()).then_some(series)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ends_and_seams_of_the_table_agree_with_the_integral() {
        for (a, b) in [(1.5, 1.7), (2.7, 0.5), (0.5, -0.5), (2.7, 0.0), (9.5, 3.2)] {
            let integral = IncompleteBeta::new(a, b);
            let table = BetaTable::new(a, b, &integral).unwrap();
            for octave in 0..20 {
                for eighth in 8..16 {
                    let edge = f64::from(eighth) / 16.0 * 0.5_f64.powi(octave);
                    for z in [edge.next_down(), edge, edge.next_up()] {
                        for (x, y) in [(z, 1.0 - z), (1.0 - z, z)] {
                            let Some(value) = table.at(x, y) else {
                                assert!(z < 0.5_f64.powi(20));
                                continue;
                            };
                            approx::assert_relative_eq!(
                                value,
                                integral.at(x, y),
                                epsilon = 0.0,
                                max_relative = 2e-13
                            );
                        }
                    }
                }
            }
            assert_eq!(table.at(0.0, 1.0), None);
            assert_eq!(table.at(1.0, 0.0), None);
        }
    }

    #[test]
    fn a_steep_integrand_has_no_table() {
        let steep = IncompleteBeta::new(51.0, 50.0);
        assert!(BetaTable::new(51.0, 50.0, &steep).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_table_agrees_with_the_integral(
            a in 0.01..12.0_f64,
            b in -0.99..12.0_f64,
            xs in prop::collection::vec(1e-6..1.0_f64, 100),
        ) {
            let integral = IncompleteBeta::new(a, b);
            if let Some(table) = BetaTable::new(a, b, &integral) {
                for x in xs {
                    if let Some(value) = table.at(x, 1.0 - x) {
                        let exact = integral.at(x, 1.0 - x);
                        prop_assert!((value - exact).abs() <= 3e-13 * exact, "{x}: {value} {exact}");
                    }
                }
            }
        }
    }
}
