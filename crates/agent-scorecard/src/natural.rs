//! Natural sort order, in which task-2 comes before task-10.

/// Returns a sort key for natural order: numbers are sorted by size and before letters, so that task-2 comes before
/// task-10.
pub(crate) fn natural(name: &str) -> Box<[u8]> {
    let mut key = Vec::with_capacity(name.len() + 16);
    add(name, &mut key);
    key.into()
}

/// Returns the positions of rows in the natural order of their first names, then of their second ones, and so on. Rows
/// with equal names stay in their order. All keys are in one list, because there may be a million rows.
pub(crate) fn natural_order<S: AsRef<str>, const N: usize>(
    rows: impl Iterator<Item = [S; N]>,
) -> Vec<u32> {
    let (mut keys, mut ends) = (Vec::new(), vec![0]);
    for names in rows {
        for name in names {
            add(name.as_ref(), &mut keys);
            keys.push(END);
        }
        ends.push(keys.len());
    }
    let key = |at: u32| &keys[ends[at as usize]..ends[at as usize + 1]];
    let mut order: Vec<u32> = (0..ends.len() as u32 - 1).collect();
    order.sort_by(|&a, &b| key(a).cmp(key(b)));
    order
}

/// The end of a name, which is below all that may follow in a longer one.
const END: u8 = 0;

fn add(name: &str, key: &mut Vec<u8>) {
    const NUMBER: u8 = 1;
    const TEXT: u8 = 2;
    for part in name.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        if part[0].is_ascii_digit() {
            // Zeros in front of a number change nothing, and a number with more digits is larger.
            let zeros = part.iter().take_while(|&&digit| digit == b'0').count();
            let digits = &part[zeros.min(part.len() - 1)..];
            key.push(NUMBER);
            key.extend((digits.len() as u64).to_be_bytes());
            key.extend(digits);
        } else {
            // The end of a text is below every byte in it.
            key.push(TEXT);
            for &byte in part {
                key.push(byte);
                key.extend((byte == 0).then_some(u8::MAX));
            }
            key.extend([0, 0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_by_their_size_and_before_letters_and_a_text_before_what_goes_on() {
        let sorted =
            " 0 007 8 010 99999999999999999999 a a1 a2b a10 a10b a\0 a\0b a\u{1} ab ab1 b é";
        let sorted: Vec<&str> = sorted.split(' ').collect();
        let mut names = sorted.clone();
        names.reverse();
        names.sort_by_cached_key(|name| natural(name));
        assert_eq!(names, sorted);
    }
}
