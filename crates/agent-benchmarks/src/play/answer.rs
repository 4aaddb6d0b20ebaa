/// Returns the text of an answer. It is the answer that directly follows thoughts, or otherwise the first one. A reply
/// begins with thoughts even without the tag, because the released code adds the missing tag.
pub(crate) fn answer(reply: &str) -> Option<&str> {
    thoughts_and_answer(reply).map(|[_, answer]| answer)
}

/// Returns the thoughts directly before an answer, or none, and the answer.
pub(crate) fn thoughts_and_answer(reply: &str) -> Option<[&str; 2]> {
    let inside = |text: &'_ str| -> Option<usize> {
        let inner = text.strip_prefix("<answer>")?;
        inner.find("</answer>").map(|end| text.len() - inner.len() + end)
    };
    let thoughts = reply.trim_start();
    let thoughts = thoughts.strip_prefix("<think>").unwrap_or(reply);
    let mut ends = thoughts.match_indices("</think>");
    let direct = ends.find_map(|(at, tag)| {
        let rest = thoughts[at + tag.len()..].trim_start();
        inside(rest).map(|end| [&thoughts[..at], &rest["<answer>".len()..end]])
    });
    direct.or_else(|| {
        let rest = &reply[reply.find("<answer>")?..];
        inside(rest).map(|end| ["", &rest["<answer>".len()..end]])
    })
}
