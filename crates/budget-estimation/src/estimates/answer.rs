use crate::{
    answer_error::AnswerError,
    estimates::{answer_mode::AnswerMode, answer_number::ends, estimate::Estimate},
};

/// Reads the answer of a model about one resource from its output: `<answer>[low, high]</answer>` or
/// `<answer>impossible</answer>`.
///
/// Takes time linear in the length of the text.
///
/// # Errors
///
/// [`AnswerError`] with the reason. To score an unreadable answer, use [`Estimate::NoAnswer`].
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendices B.2 and I.
///
/// ```
/// use budget_estimation::{AnswerError, AnswerMode, Estimate, parse_answer};
///
/// let text = "<think>Two more searches.</think><answer>[300, 450]</answer>";
/// let estimate = Estimate::interval(300.0, 450.0).unwrap();
/// assert_eq!(parse_answer(text, AnswerMode::Strict), Ok(estimate));
///
/// let text = "<ANSWER> [1,200, 3,400] </ANSWER>";
/// assert_eq!(parse_answer(text, AnswerMode::Strict), Err(AnswerError::NoTag));
/// let read = parse_answer(text, AnswerMode::Lenient);
/// assert_eq!(read, Ok(Estimate::interval(1200.0, 3400.0).unwrap()));
///
/// let scalar = parse_answer("<answer>400</answer>", AnswerMode::Strict);
/// assert_eq!(scalar, Err(AnswerError::Scalar));
/// ```
pub fn parse_answer(text: &str, mode: AnswerMode) -> Result<Estimate, AnswerError> {
    let content = content(text, mode)?;
    if is_impossible(content, mode) {
        return Ok(Estimate::Impossible);
    }
    let (interval, rest) = ends(content, mode)?;
    if rest.is_empty() { Ok(interval) } else { Err(AnswerError::Malformed) }
}

/// Reads the answer of a model about several resources:
/// `<answer>weeks:[low, high], cost_usd:[low, high]</answer>`, or `impossible` for all of them.
/// Returns one estimate per resource, in the order of `resources`.
///
/// Takes time linear in the length of the text, for a given number of resources.
///
/// # Errors
///
/// As [`parse_answer`], and [`AnswerError::MissingResource`] and
/// [`AnswerError::UnexpectedResource`].
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, appendix I, the Warehouse prompt.
///
/// ```
/// use budget_estimation::{AnswerMode, Estimate, parse_answers};
///
/// let text = "<answer>weeks:[2, 4], cost_usd:[100.5, 300]</answer>";
/// let read = parse_answers(text, &["weeks", "cost_usd"], AnswerMode::Strict);
/// let interval = |low, high| Estimate::interval(low, high).unwrap();
/// assert_eq!(read, Ok(vec![interval(2.0, 4.0), interval(100.5, 300.0)]));
/// ```
pub fn parse_answers(
    text: &str,
    resources: &[&str],
    mode: AnswerMode,
) -> Result<Vec<Estimate>, AnswerError> {
    let content = content(text, mode)?;
    if is_impossible(content, mode) {
        return Ok(vec![Estimate::Impossible; resources.len()]);
    }
    let mut found = vec![None; resources.len()];
    let mut rest = content;
    for index in 0..resources.len() {
        let Some((name, after)) = rest.split_once(':') else {
            break;
        };
        let name = trimmed(name, mode);
        let due = |position: &usize| !mode.is_strict() || *position == index;
        // Also in lenient mode, an exact name has precedence over a name in another case.
        let position = resources.iter().position(|known| *known == name).or_else(|| {
            let alike = |known: &&str| known.eq_ignore_ascii_case(name);
            resources.iter().position(alike).filter(|_| !mode.is_strict())
        });
        let slot = position.filter(due).and_then(|position| found.get_mut(position));
        let Some(slot @ None) = slot else {
            return Err(AnswerError::UnexpectedResource { index });
        };
        let (interval, after) = ends(spaceless_start(after, mode), mode)?;
        *slot = Some(interval);
        let after = spaceless_start(after, mode);
        if after.is_empty() {
            rest = after;
            break;
        }
        let after = after.strip_prefix(',').ok_or(AnswerError::Malformed)?;
        rest = spaceless_start(after, mode);
        if rest.is_empty() {
            return Err(AnswerError::Malformed);
        }
    }
    if !rest.is_empty() {
        return Err(match rest.split_once(':') {
            Some(_) => AnswerError::UnexpectedResource { index: resources.len() },
            // An interval without a name, or something else.
            None => ends(rest, mode).err().unwrap_or(AnswerError::Malformed),
        });
    }
    let filled = found.into_iter().enumerate();
    filled.map(|(index, one)| one.ok_or(AnswerError::MissingResource { index })).collect()
}

/// Returns the text between the tags, trimmed in lenient mode.
fn content(text: &str, mode: AnswerMode) -> Result<&str, AnswerError> {
    const TAGS: [&[u8]; 2] = [b"<answer>", b"</answer>"];
    let bytes = text.as_bytes();
    let (mut open, mut pair, mut tags) = (None, None, [0_usize; 2]);
    for (at, _) in bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'<') {
        let rest = bytes.get(at..).unwrap_or_default();
        let starts = |tag: &[u8]| {
            let start = rest.get(..tag.len()).filter(|start| start.eq_ignore_ascii_case(tag));
            start.map(|start| !mode.is_strict() || start == tag)
        };
        // In strict mode, a tag in upper case counts as a tag too many, but is not read.
        let [opening, closing] = TAGS;
        if let Some(is_tag) = starts(opening) {
            tags[0] += 1;
            open = is_tag.then_some(at + opening.len());
        } else if let Some(is_tag) = starts(closing) {
            tags[1] += 1;
            if is_tag {
                pair = open.take().map(|start| (start, at)).or(pair);
            }
        }
    }
    // Tags are ASCII, so both positions are character boundaries.
    let content = pair.and_then(|(start, end)| text.get(start..end)).ok_or(AnswerError::NoTag)?;
    if mode.is_strict() && tags != [1, 1] {
        return Err(AnswerError::SeveralTags);
    }
    Ok(trimmed(content, mode))
}

fn is_impossible(content: &str, mode: AnswerMode) -> bool {
    content == "impossible" || (!mode.is_strict() && content.eq_ignore_ascii_case("impossible"))
}

fn trimmed(text: &str, mode: AnswerMode) -> &str {
    if mode.is_strict() { text } else { text.trim_ascii() }
}

/// Returns the text without leading spaces, which both modes allow between parts.
fn spaceless_start(text: &str, mode: AnswerMode) -> &str {
    if mode.is_strict() { text.trim_start_matches(' ') } else { text.trim_ascii_start() }
}
