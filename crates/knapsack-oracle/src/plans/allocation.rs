use crate::plans::entry::Scalar;

/// The allocation that a value stands for, and whether it was written as one: a whole number of at
/// least 0 that fits 64 bits, in digits and without a leading zero.
///
/// Everything else is coerced: the first number in it, rounded down; 0 where it is negative or
/// there is none; the largest number where it is larger. `1,200`, `1_200`, `"1200 tokens"`, `1.2k`,
/// `1.2e3` and `1200.7` are 1200.
pub(super) fn allocation(value: Option<&Scalar<'_>>) -> (u64, bool) {
    let (text, quoted) = match value {
        None => return (0, false),
        Some(Scalar::Text(text)) => (text.as_str(), true),
        Some(Scalar::Bare(text)) => (*text, false),
    };
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    match text.parse() {
        Ok(number) if plain && !quoted => (number, true),
        _ => (coerced(text), false),
    }
}

fn coerced(text: &str) -> u64 {
    let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { return 0 };
    let (before, number) = text.split_at(start);
    let point = before.ends_with('.');
    let before = before.strip_suffix('.').unwrap_or(before);
    if before.ends_with('-') || before.ends_with('\u{2212}') {
        return 0;
    }
    let mut bytes = number.bytes().peekable();
    let mut digits = if point { "0.".to_owned() } else { String::new() };
    let (mut fraction, mut exponent) = (point, false);
    while let Some(byte) = bytes.next() {
        let digit_follows = bytes.peek().is_some_and(u8::is_ascii_digit);
        match byte {
            b'0'..=b'9' => digits.push(char::from(byte)),
            b',' | b'_' if digit_follows && !fraction => {}
            b'.' if digit_follows && !fraction => {
                fraction = true;
                digits.push('.');
            }
            b'e' | b'E' if !exponent => {
                (fraction, exponent) = (true, true);
                digits.push('e');
                if let Some(sign) = bytes.next_if(|byte| matches!(byte, b'+' | b'-')) {
                    digits.push(char::from(sign));
                }
            }
            b'k' | b'K' if !exponent => {
                digits.push_str("e3");
                break;
            }
            _ => break,
        }
    }
    // Whole numbers keep all digits; the others are floats, whose cast rounds down and saturates.
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.parse().unwrap_or(u64::MAX);
    }
    digits.trim_end_matches(['e', '+', '-']).parse::<f64>().map_or(0, |number| number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_however_they_are_written() {
        for text in [
            "1200",
            "01200",
            "1,200",
            "1_200",
            "+1200",
            "~1200",
            "1200.0",
            "1200.9",
            "1.2e3",
            "1.2E+3",
            "1.2k",
            "1.2K tokens",
            "1200 tokens",
            "about 1200, maybe 1300",
            "$1200",
            "1200.",
            "1200,",
            "12000e-1",
        ] {
            assert_eq!(coerced(text), 1200, "{text}");
        }
        assert_eq!(coerced("18446744073709551615"), u64::MAX);
        assert_eq!(coerced("99999999999999999999999"), u64::MAX);
        assert_eq!(coerced("9e99"), u64::MAX);
        assert_eq!(coerced("9007199254740993"), 9_007_199_254_740_993);
        for (text, first) in [
            ("1,,200", 1),
            ("1..2", 1),
            ("1.2.3", 1),
            ("1.5,9e3", 1),
            ("1e2e3", 100),
            ("1e2k", 100),
        ] {
            assert_eq!(coerced(text), first, "{text}");
        }
        assert_eq!(coerced("5 euros"), 5);
        assert_eq!(coerced("5e"), 5);
        for text in ["", "null", "NaN", "Infinity", "-5", "-.5e3", "\u{2212}7", "0.9", ".9", "5e-9"]
        {
            assert_eq!(coerced(text), 0, "{text}");
        }
    }

    #[test]
    fn only_json_whole_numbers_are_taken_as_they_are() {
        let bare = |text| allocation(Some(&Scalar::Bare(text)));
        assert_eq!(bare("0"), (0, true));
        assert_eq!(bare("1200"), (1200, true));
        assert_eq!(bare("007"), (7, false));
        assert_eq!(bare("1200.0"), (1200, false));
        assert_eq!(bare("18446744073709551616"), (u64::MAX, false));
        assert_eq!(allocation(Some(&Scalar::Text("1200".into()))), (1200, false));
        assert_eq!(allocation(None), (0, false));
    }
}
