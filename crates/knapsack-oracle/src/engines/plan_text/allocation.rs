use super::entry::Scalar;

/// Returns the allocation that a value denotes, and whether it needed no conversion. No conversion is needed
/// for a whole number of at least 0 that fits in 64 bits, in digits without a leading zero. Returns `None`
/// for a text that is not a number of tokens, such as `about 30 %`. This includes `0.3`, a share of the
/// budget.
///
/// A number of tokens is a single number, possibly with words or signs that do not change its
/// unit (`about 1,200 tokens`, `~1.2k`). It is rounded down, and limited to `u64::MAX`. A negative,
/// missing or null allocation is 0. `1,200`, `1_200`, `"1200 tokens"`, `1.2k`, `1.2e3` and `1200.7`
/// are 1200.
pub(crate) fn allocation(value: &Scalar<'_>) -> Option<(u64, bool)> {
    let (text, quoted) = match value {
        Scalar::Text(text) => (text.as_str(), true),
        Scalar::Bare("null" | "None") => return Some((0, false)),
        Scalar::Bare(text) => (*text, false),
    };
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    match text.parse() {
        Ok(number) if plain && !quoted => Some((number, true)),
        _ => coerced(text, quoted).map(|number| (number, false)),
    }
}

/// Words that may stand next to a number of tokens.
const WORDS: &str = "about approx approximately around at ca circa max maximum most roughly to tok token \
                     tokens up";

/// Returns whether the text next to a number contains only these words and signs.
fn leaves_unit(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || "~\u{2248}\u{2264}<=+.,:;()".contains(c)).all(
        |word| word.is_empty() || WORDS.split(' ').any(|known| word.eq_ignore_ascii_case(known)),
    )
}

/// Converts a text to a number of tokens.
fn coerced(text: &str, quoted: bool) -> Option<u64> {
    let (before, number) = text.split_at(text.find(|c: char| c.is_ascii_digit())?);
    let point = before.ends_with('.');
    let before = before.strip_suffix('.').unwrap_or(before);
    let unsigned = before.strip_suffix(['-', '\u{2212}']);
    let (digits, after) = digits(number, point);
    if !leaves_unit(unsigned.unwrap_or(before)) || !leaves_unit(after) {
        return None;
    }
    if unsigned.is_some() {
        return Some(0);
    }
    // In a text, `1.200` may mean 1 or 1200.
    let thousands = |(whole, rest): (&str, &str)| whole.len() <= 3 && rest.len() == 3;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if quoted && is_number(&digits) && digits.split_once('.').is_some_and(thousands) {
        return None;
    }
    // Whole numbers keep all digits. Other numbers are floats; the cast rounds down and saturates.
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(digits.parse().unwrap_or(u64::MAX));
    }
    let number = digits.parse::<f64>().ok()?;
    // A number between 0 and 1 is a share of the budget, not a number of tokens.
    let mantissa = digits.split('e').next().unwrap_or_default();
    let is_zero = !mantissa.contains(|c: char| c != '0' && c.is_ascii_digit());
    (number >= 1.0 || is_zero).then_some(number as u64)
}

/// Returns the number at the start of a text, in the notation of Rust, and the rest of the text.
fn digits(text: &str, point: bool) -> (String, &str) {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut digits = if point { "0.".to_owned() } else { String::new() };
    let (mut fraction, mut exponent) = (point, false);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => digits.push(char::from(byte)),
            b'_' if is_digit(at + 1) && !fraction => {}
            // A comma must separate thousands, because `1,5` may mean one and a half.
            b',' if (1..=3).all(|k| is_digit(at + k)) && !is_digit(at + 4) && !fraction => {}
            b'.' if is_digit(at + 1) && !fraction => {
                fraction = true;
                digits.push('.');
            }
            b'e' | b'E' if !exponent => {
                let sign = bytes.get(at + 1).filter(|byte| matches!(byte, b'+' | b'-'));
                if !is_digit(at + 1 + usize::from(sign.is_some())) {
                    break;
                }
                (fraction, exponent) = (true, true);
                digits.push('e');
                digits.extend(sign.map(|&sign| char::from(sign)));
                at += usize::from(sign.is_some());
            }
            _ => break,
        }
        at += 1;
    }
    let rest = text.get(at..).unwrap_or_default();
    let thousands = rest.trim_ascii_start().strip_prefix(['k', 'K']);
    match thousands.filter(|rest| !exponent && !rest.starts_with(char::is_alphanumeric)) {
        Some(rest) => {
            digits.push_str("e3");
            (digits, rest)
        }
        None => (digits, rest),
    }
}
