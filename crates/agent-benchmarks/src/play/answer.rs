/// The text of an answer: that which directly follows thoughts, or else the first one. A reply begins with thoughts, whether it
/// says so or not, as the released code puts the tag before replies that lack it.
pub(crate) fn answer(reply: &str) -> Option<&str> {
    let between = |text: &str| {
        let inner = text.strip_prefix("<answer>")?;
        inner.find("</answer>").map(|end| text.len() - inner.len() + end)
    };
    let thoughts = reply.trim_start();
    let thoughts = thoughts.strip_prefix("<think>").unwrap_or(reply);
    let ends = thoughts.match_indices("</think>");
    let mut rests = ends.map(|(at, end)| thoughts[at + end.len()..].trim_start());
    let direct = rests.find_map(|rest| between(rest).map(|end| &rest["<answer>".len()..end]));
    direct.or_else(|| {
        let rest = &reply[reply.find("<answer>")?..];
        between(rest).map(|end| &rest["<answer>".len()..end])
    })
}
