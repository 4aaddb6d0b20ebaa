/// Whether an answer is this id; brackets and blanks around it do not matter.
pub(super) fn is_id(answer: &str, id: &str) -> bool {
    let bare = |text: &str| {
        let around = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | '.');
        text.trim_matches(around).to_owned()
    };
    bare(answer) == bare(id)
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn brackets_and_quotes_around_an_id_do_not_matter_but_its_number_does() {
        assert!(is_id("TravelDining00012", "<TravelDining00012>"));
        assert!(is_id("`<TravelDining00012>`.", "<TravelDining00012>"));
        assert!(!is_id("<TravelDining00021>", "<TravelDining00012>"));
        assert!(!is_id("", "<TravelDining00012>"));
    }
}
