/// The text between the last pair of answer tags.
///
/// `Err` says what is wrong if there is an opening tag without an answer behind it; `Ok(None)` if
/// there is no opening tag.
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

#[cfg(test)]
mod tests {
    use super::answer_in;

    #[test]
    fn the_last_pair_of_tags_counts() {
        assert_eq!(answer_in("So <answer> <X1> </answer>."), Ok(Some("<X1>")));
        assert_eq!(answer_in("<answer>a</answer> no, <answer>b</answer>"), Ok(Some("b")));
        assert_eq!(answer_in("I am not done."), Ok(None));
    }

    #[test]
    fn an_opening_tag_without_an_answer_is_a_fault() {
        assert!(answer_in("<answer><X1>").is_err());
        assert!(answer_in("<answer>  </answer>").is_err());
    }
}
