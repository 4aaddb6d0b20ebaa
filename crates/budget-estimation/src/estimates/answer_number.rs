use std::borrow::Cow;

use crate::{
    answer_error::AnswerError,
    error::Error,
    estimates::{answer_mode::AnswerMode, estimate::Estimate},
};

/// Reads `[low, high]` at the start of a text; also returns the text that follows.
pub(crate) fn ends(text: &str, mode: AnswerMode) -> Result<(Estimate, &str), AnswerError> {
    let Some(inside) = text.strip_prefix('[') else {
        let end = if mode == AnswerMode::LenientPoints { end_of_number(text) } else { text.len() };
        let (point, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        return Ok((point_estimate(point, mode)?, rest));
    };
    let (inside, rest) = inside.split_once(']').ok_or(AnswerError::Malformed)?;
    let Some((low, high)) = parted(inside, mode)? else {
        return Ok((point_estimate(inside, mode)?, rest));
    };
    let (low, high) = (amount(number(low, mode)?)?, amount(number(high, mode)?)?);
    match Estimate::interval(low, high) {
        Ok(estimate) => Ok((estimate, rest)),
        Err(Error::ScoringRules(scoring_rules::Error::Reversed { low, high, .. })) => {
            Err(AnswerError::Reversed { low, high })
        }
        Err(_) => Err(AnswerError::NotFinite),
    }
}

/// Reads a single number as the interval `[v, v]` in the mode that accepts it. Otherwise returns the error
/// for this common mistake of models.
fn point_estimate(text: &str, mode: AnswerMode) -> Result<Estimate, AnswerError> {
    let value = number(text, mode)?;
    if mode != AnswerMode::LenientPoints {
        return Err(AnswerError::Scalar);
    }
    let value = amount(value)?;
    Estimate::interval(value, value).map_err(|_| AnswerError::NotFinite)
}

/// Returns the position of the first comma that is not followed by a digit, where a number among several
/// resources ends; the length of a text without such a comma.
fn end_of_number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |&at: &usize| {
        bytes.get(at) == Some(&b',') && !bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    };
    (0..bytes.len()).find(ends).unwrap_or(bytes.len())
}

/// Checks that an end is finite and at least 0.
fn amount(value: f64) -> Result<f64, AnswerError> {
    if !value.is_finite() {
        return Err(AnswerError::NotFinite);
    }
    if value < 0.0 { Err(AnswerError::Negative { value }) } else { Ok(value) }
}

/// Returns the texts of the two bounds between the brackets; `None` without a comma.
fn parted(inside: &str, mode: AnswerMode) -> Result<Option<(&str, &str)>, AnswerError> {
    let Some((first, second)) = inside.split_once(',') else {
        return Ok(None);
    };
    if !second.contains(',') {
        return Ok(Some((first, second)));
    }
    if mode.is_strict() {
        return Err(AnswerError::Malformed);
    }
    let bytes = inside.as_bytes();
    let before_space = |&at: &usize| {
        bytes.get(at) == Some(&b',') && bytes.get(at + 1).is_some_and(u8::is_ascii_whitespace)
    };
    let mut commas = (0..bytes.len()).filter(before_space);
    match (commas.next(), commas.next()) {
        (Some(at), None) => Ok(inside.get(..at).zip(inside.get(at + 1..))),
        _ => Err(AnswerError::Malformed),
    }
}

/// Reads a decimal number. The result is NaN for the words `inf` and `nan`, and infinite for a number that is
/// too large.
fn number(text: &str, mode: AnswerMode) -> Result<f64, AnswerError> {
    let text = if mode.is_strict() { text.trim_matches(' ') } else { text.trim_ascii() };
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if ["inf", "infinity", "nan"].iter().any(|word| unsigned.eq_ignore_ascii_case(word)) {
        return Ok(f64::NAN);
    }
    let plain = if mode.is_strict() { Cow::Borrowed(text) } else { ungrouped(text)? };
    // The standard parser checks the positions of signs, point and exponent.
    let decimal = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if !plain.bytes().all(decimal) {
        return Err(AnswerError::Malformed);
    }
    let value: f64 = plain.parse().map_err(|_| AnswerError::Malformed)?;
    // Adding 0 turns -0 into 0.
    Ok(value + 0.0)
}

/// Returns a number without the separators that group its digits before the point in threes.
fn ungrouped(text: &str) -> Result<Cow<'_, str>, AnswerError> {
    if !text.contains([',', '_']) {
        return Ok(Cow::Borrowed(text));
    }
    let digits_from = usize::from(text.starts_with(['+', '-']));
    let is_whole = |byte: u8| byte.is_ascii_digit() || byte == b',' || byte == b'_';
    let end = text.bytes().skip(digits_from).position(|byte| !is_whole(byte));
    let end = end.map_or(text.len(), |length| digits_from + length);
    let (sign, whole, fraction) =
        match (text.get(..digits_from), text.get(digits_from..end), text.get(end..)) {
            (Some(sign), Some(whole), Some(fraction)) => (sign, whole, fraction),
            _ => return Err(AnswerError::Malformed),
        };
    let mut plain = String::with_capacity(text.len());
    plain.push_str(sign);
    for (at, group) in whole.split([',', '_']).enumerate() {
        let fits = if at == 0 { (1..=3).contains(&group.len()) } else { group.len() == 3 };
        if !fits {
            return Err(AnswerError::Malformed);
        }
        plain.push_str(group);
    }
    plain.push_str(fraction);
    Ok(Cow::Owned(plain))
}
