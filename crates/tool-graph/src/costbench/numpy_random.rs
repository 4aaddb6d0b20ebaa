use rand_pcg::Lcg128Xsl64;
use rand_pcg::rand_core::Rng;

use super::ziggurat::{DENSITY, INSIDE, LAST, PER_LAST, WIDTH};

/// NumPy's `default_rng(seed)` for a seed from 0 to `2^64 - 1`: its `SeedSequence`, then PCG64.
///
/// Reference: O'Neill (2014), PCG: a family of simple fast space-efficient statistically good
/// algorithms for random number generation; Marsaglia and Tsang (2000), The ziggurat method for
/// generating random variables, doi:10.18637/jss.v005.i08.
pub(super) struct NumpyRandom(Lcg128Xsl64);

impl NumpyRandom {
    pub(super) fn new(seed: u64) -> Self {
        let [a, b, c, d] = seed_words(seed).map(u128::from);
        Self(Lcg128Xsl64::new(a << 64 | b, c << 64 | d))
    }

    /// `random()`: a multiple of `2^-53` from 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2.0_f64.powi(-53)
    }

    /// `normal(0, std)`.
    pub(super) fn normal(&mut self, std: f64) -> f64 {
        std * self.standard_normal()
    }

    /// `standard_normal()`, by a ziggurat of 256 strips of equal area.
    fn standard_normal(&mut self) -> f64 {
        loop {
            let word = self.0.next_u64();
            let strip = (word & 0xff) as usize;
            let negative = word >> 8 & 1 == 1;
            let place = word >> 9 & ((1 << 52) - 1);
            let size = place as f64 * WIDTH[strip];
            let signed = |size: f64| if negative { -size } else { size };
            if place < INSIDE[strip] {
                return signed(size);
            }
            if strip == 0 {
                return self.tail(place);
            }
            let (low, high) = (DENSITY[strip], DENSITY[strip - 1]);
            if (high - low) * self.unit() + low < (-0.5 * size * size).exp() {
                return signed(size);
            }
        }
    }

    /// Returns a value beyond the edge of the last strip, by Marsaglia's exponential method. Its sign is a
    /// bit of `place`, the position drawn in the strip.
    fn tail(&mut self, place: u64) -> f64 {
        loop {
            let beyond = -PER_LAST * (-self.unit()).ln_1p();
            let height = -(-self.unit()).ln_1p();
            if height + height > beyond * beyond {
                let size = LAST + beyond;
                return if place >> 8 & 1 == 1 { -size } else { size };
            }
        }
    }
}

/// Returns the first four 64-bit words of a `SeedSequence` with this entropy.
fn seed_words(seed: u64) -> [u64; 4] {
    // The entropy is padded with zeros, so leading zeros make no difference.
    let entropy = [seed as u32, (seed >> 32) as u32, 0, 0];
    let mut hash = Hash { constant: 0x43b0_d7e5, factor: 0x931e_8875 };
    let mut pool = entropy.map(|digit| hash.next(digit));
    for from in 0..4 {
        for to in 0..4 {
            if from != to {
                pool[to] = mix(pool[to], hash.next(pool[from]));
            }
        }
    }
    let mut hash = Hash { constant: 0x8b51_f9dd, factor: 0x58f3_8ded };
    let mut word = |low: usize| {
        let (low, high) = (hash.next(pool[low]), hash.next(pool[low + 1]));
        u64::from(high) << 32 | u64::from(low)
    };
    [word(0), word(2), word(0), word(2)]
}

/// A multiplicative hash of a sequence of 32-bit numbers, each with a different constant.
struct Hash {
    constant: u32,
    factor: u32,
}

impl Hash {
    fn next(&mut self, value: u32) -> u32 {
        let value = value ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.factor);
        let value = value.wrapping_mul(self.constant);
        value ^ value >> 16
    }
}

fn mix(a: u32, b: u32) -> u32 {
    let mixed = a.wrapping_mul(0xca01_f9dd).wrapping_sub(b.wrapping_mul(0x4973_f715));
    mixed ^ mixed >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_have_equal_areas_under_the_normal_density() {
        let places = 2.0_f64.powi(52);
        let edge: Vec<f64> = WIDTH.iter().map(|width| width * places).collect();
        assert!((edge[255] - LAST).abs() < 1e-15 && (LAST * PER_LAST - 1.0).abs() < 1e-15);
        // Strip 0 has the area of a rectangle with the density at the start of the tail as its height.
        let area = edge[0] * DENSITY[255];
        assert!((INSIDE[0] as f64 / places - LAST / edge[0]).abs() < 1e-12);
        assert!((edge[1] * (1.0 - DENSITY[1]) - area).abs() < 1e-12);
        for i in 1..256 {
            assert!((DENSITY[i] - (-0.5 * edge[i] * edge[i]).exp()).abs() < 1e-13, "{i}");
        }
        for i in 2..256 {
            assert!((edge[i] * (DENSITY[i - 1] - DENSITY[i]) - area).abs() < 1e-12, "{i}");
            assert!((INSIDE[i] as f64 / places - edge[i - 1] / edge[i]).abs() < 1e-12, "{i}");
        }
    }
}
