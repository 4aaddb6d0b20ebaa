/// The number of data types of a graph and a hash of their names in order.
///
/// Graphs with equal values can share states. Different names have different hashes for all
/// practical purposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Types {
    count: u32,
    names: u64,
}

impl Types {
    pub(super) fn new(names: &[String]) -> Self {
        let mut hash = 0;
        for name in names {
            for part in name.as_bytes().chunks(8) {
                let mut word = [0; 8];
                word[..part.len()].copy_from_slice(part);
                hash = scrambled(hash ^ u64::from_le_bytes(word));
            }
            // The length tells apart names that end at other places or in zeros.
            hash = scrambled(hash ^ name.len() as u64);
        }
        Self { count: names.len() as u32, names: hash }
    }

    /// The hash of the names as 16 hexadecimal digits. Many JSON parsers would round a 64-bit number.
    #[cfg(feature = "serde")]
    pub(super) fn fingerprint(self) -> String {
        format!("{:016x}", self.names)
    }

    #[cfg(feature = "serde")]
    pub(super) fn stored(count: u32, fingerprint: &str) -> Option<Self> {
        let is_hash = fingerprint.len() == 16
            && fingerprint.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let names = u64::from_str_radix(fingerprint, 16).ok().filter(|_| is_hash)?;
        Some(Self { count, names })
    }

    pub(super) fn count(self) -> usize {
        self.count as usize
    }
}

/// A bijection on 64-bit words in which each input bit affects about half of the output bits.
///
/// Reference: Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators,
/// doi:10.1145/2714064.2660195; the constants are those of its variant 13 by Stafford.
fn scrambled(word: u64) -> u64 {
    // The increment keeps zero from being a fixed point.
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_that_differ_in_few_letters_have_different_hashes() {
        let types = |name: String| Types::new(&["first".into(), name, "last".into()]);
        let letters = || 'a'..='z';
        // Simple hashes are weak at the end of one word and in the middle of the next.
        let names = letters().flat_map(|x| {
            letters().flat_map(move |y| letters().map(move |z| format!("product{x}_2{y}{z}")))
        });
        assert_eq!(names.map(types).collect::<BTreeSet<_>>().len(), 26_usize.pow(3));

        let of = |names: &[&str]| {
            Types::new(&names.iter().map(|&name| name.into()).collect::<Vec<String>>())
        };
        let lists: [&[&str]; 6] = [
            &["ab", "c"],
            &["a", "bc"],
            &["c", "ab"],
            &["ab\0", "c"],
            &["ab", "\0c"],
            &["", "abc"],
        ];
        assert_eq!(lists.map(of).into_iter().collect::<BTreeSet<_>>().len(), lists.len());
    }
}
