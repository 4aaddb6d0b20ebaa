//! The parts of Python's `re` and `str` that the released parsers use.

/// White space as in Python's `\s` and `strip`.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

fn strip_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Returns the text after the first `pattern`, which is ASCII.
fn after<'a>(text: &'a str, pattern: &str, ignore_case: bool) -> Option<&'a str> {
    let found = |at: &usize| {
        let part = text.as_bytes().get(*at..*at + pattern.len()).unwrap_or_default();
        if ignore_case {
            part.eq_ignore_ascii_case(pattern.as_bytes())
        } else {
            part == pattern.as_bytes()
        }
    };
    let at = (0..text.len()).find(found)?;
    text.get(at + pattern.len()..)
}

/// Returns the text between the first `<answer>` and the next `</answer>`, without white space around it.
pub(super) fn tag_content(text: &str, ignore_case: bool) -> Option<&str> {
    let content = after(text, "<answer>", ignore_case)?;
    let rest = after(content, "</answer>", ignore_case)?;
    content.get(..content.len() - rest.len() - "</answer>".len()).map(strip)
}

pub(super) fn is_impossible(content: &str) -> bool {
    strip(content).to_lowercase() == "impossible"
}

/// Returns the digits at the start of a text, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())
}

/// Returns all sequences of digits.
pub(super) fn whole_numbers(text: &str) -> impl Iterator<Item = f64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

pub(super) fn whole_number(text: &str) -> Option<(f64, &str)> {
    let (number, rest) = digits(text)?;
    Some((number.parse().ok()?, rest))
}

/// `-?\d+(?:\.\d+)?`
pub(super) fn decimal(text: &str) -> Option<(f64, &str)> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (_, mut rest) = digits(unsigned)?;
    if let Some((_, after)) = rest.strip_prefix('.').and_then(digits) {
        rest = after;
    }
    Some((text.get(..text.len() - rest.len())?.parse().ok()?, rest))
}

/// Parses two numbers in brackets at the start of a text, and returns the rest.
pub(super) fn bracketed<'a>(
    text: &'a str,
    number: impl Fn(&'a str) -> Option<(f64, &'a str)>,
) -> Option<([f64; 2], &'a str)> {
    let (low, rest) = number(strip_start(text.strip_prefix('[')?))?;
    let rest = strip_start(strip_start(rest).strip_prefix(',')?);
    let (high, rest) = number(rest)?;
    Some(([low, high], strip_start(rest).strip_prefix(']')?))
}

/// Returns all such pairs, from left to right.
pub(super) fn all_bracketed<'a>(
    text: &'a str,
    number: impl Fn(&'a str) -> Option<(f64, &'a str)> + Copy + 'a,
) -> impl Iterator<Item = [f64; 2]> + 'a {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.get(rest.find('[')?..)?;
            if let Some((pair, after)) = bracketed(rest, number) {
                rest = after;
                return Some(pair);
            }
            rest = rest.get(1..)?;
        }
    })
}

/// Returns the first pair after `label` and a colon, in any case.
pub(super) fn labelled(text: &str, label: &str) -> Option<[f64; 2]> {
    let mut rest = text;
    loop {
        rest = after(rest, label, true)?;
        let colon = strip_start(rest).strip_prefix([':', '：']);
        if let Some((pair, _)) = colon.and_then(|after| bracketed(strip_start(after), decimal)) {
            return Some(pair);
        }
    }
}
