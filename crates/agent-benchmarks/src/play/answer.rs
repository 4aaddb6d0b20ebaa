/// The text of an answer: that which directly follows thoughts, or else the first one. A reply begins with thoughts, whether it
/// says so or not, as the released code puts the tag before replies that lack it.
pub(crate) fn answer(reply: &str) -> Option<&str> {
    thoughts_and_answer(reply).map(|[_, answer]| answer)
}

/// The thoughts that an answer directly follows, or none, and the answer.
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
