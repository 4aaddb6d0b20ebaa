use run_logs::{ConfidenceField, Reply};

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Continue,
    Answer(String),
}

/// What is wrong with a reply of a step, so that it would be asked for again; `None` for a reply with a
/// readable action and a readable confidence.
///
/// ```
/// use agent_benchmarks::{Reply, confidence::problem_in};
///
/// let mut reply = Reply { text: "<action>answer: yes</action>".to_owned(), ..Reply::default() };
/// assert_eq!(problem_in(&reply).as_deref(), Some("the reply states no confidence"));
/// reply.text.push_str("<confidence>0.9</confidence>");
/// assert_eq!(problem_in(&reply), None);
/// ```
#[must_use]
pub fn problem_in(reply: &Reply) -> Option<String> {
    read_step(reply).err()
}

/// The action of a reply that has a readable confidence, too; `Err` says what is wrong.
pub(super) fn read_step(reply: &Reply) -> Result<Action, String> {
    let action = action_in(&reply.text)?;
    ConfidenceField::default().value(reply).map_err(|problem| problem.to_string())?;
    Ok(action)
}

/// The action between the last opening tag and the next closing one; `Err` says what is wrong.
pub(super) fn action_in(text: &str) -> Result<Action, &'static str> {
    const OPENING: &str = "<action>";
    let start = text.rfind(OPENING).ok_or("there is no <action>…</action>")?;
    let rest = &text[start + OPENING.len()..];
    let end = rest.find("</action>").ok_or("<action> has no closing tag </action>")?;
    let action = rest[..end].trim();
    let bare = action.trim_end_matches('.');
    if bare.eq_ignore_ascii_case("continue") {
        return Ok(Action::Continue);
    }
    const ANSWER: &str = "answer";
    let head = action.get(..ANSWER.len()).filter(|head| head.eq_ignore_ascii_case(ANSWER));
    let rest = head.map_or("", |_| &action[ANSWER.len()..]);
    match rest.strip_prefix([':', ' ']).map(|answer| answer.trim_start_matches([':', ' ']).trim()) {
        Some(answer) if !answer.is_empty() => Ok(Action::Answer(answer.to_owned())),
        _ => Err("the action is neither `continue` nor `answer: …`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, action_in};

    #[test]
    fn an_action_goes_on_or_answers() {
        let answer = |text: &str| Ok(Action::Answer(text.to_owned()));
        assert_eq!(action_in("<action> Continue. </action>"), Ok(Action::Continue));
        assert_eq!(action_in("<action>answer: yes</action>"), answer("yes"));
        assert_eq!(action_in("<action>Answer : 4.5</action>"), answer("4.5"));
        assert_eq!(action_in("<action>continue</action><action>answer: B</action>"), answer("B"));
    }

    #[test]
    fn anything_else_is_a_fault() {
        for text in [
            "answer: yes",
            "<action>answer: yes",
            "<action>answer:</action>",
            "<action>answers</action>",
        ] {
            assert!(action_in(text).is_err(), "{text}");
        }
    }
}
