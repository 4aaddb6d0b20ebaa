/// Returns the text between the last pair of answer tags.
///
/// `Err` is the problem if there is an opening tag without an answer after it; `Ok(None)` if there is no opening tag.
pub(crate) fn answer_in(text: &str) -> Result<Option<&str>, &'static str> {
    const OPENING: &str = "<answer>";
    let Some(start) = text.rfind(OPENING) else { return Ok(None) };
    let rest = &text[start + OPENING.len()..];
    let Some(end) = rest.find("</answer>") else {
        return Err("<answer> has no closing tag </answer>");
    };
    match rest[..end].trim() {
        "" => Err("there is nothing between <answer> and </answer>"),
        answer => Ok(Some(answer)),
    }
}
