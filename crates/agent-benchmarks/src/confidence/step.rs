use run_logs::{ConfidenceField, MissingValue, Reply};

/// The action of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Continue,
    Answer(String),
    Search(String),
    Lookup(String),
    Click(String),
}

/// The form of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Whether the model has pages. Actions on pages have brackets.
    pub(super) has_pages: bool,
    pub(super) needs_explanation: bool,
    /// Whether a confidence outside [0, 1] is clipped.
    pub(super) clips: bool,
}

/// Returns the action of a reply that also has a readable confidence; `Err` is the problem.
pub(super) fn read_step(reply: &Reply, form: Form) -> Result<Action, String> {
    let action = element(&reply.text, "action")?;
    let action = if form.has_pages { bracketed_action(action)? } else { plain_action(action)? };
    match ConfidenceField::default().value(reply) {
        Err(MissingValue::ConfidenceOutOfRange { .. }) if form.clips => {}
        stated => drop(stated.map_err(|problem| problem.to_string())?),
    }
    if form.needs_explanation && element(&reply.text, "explanation")?.is_empty() {
        return Err("the explanation is empty".to_owned());
    }
    Ok(action)
}

/// Returns the text between the last opening tag and the next closing one.
pub(super) fn action_text(text: &str) -> Option<&str> {
    element(text, "action").ok()
}

/// Returns the text between the last opening tag and the next closing one; `Err` is the problem.
fn element<'t>(text: &'t str, name: &str) -> Result<&'t str, String> {
    let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
    let start = text.rfind(&opening).ok_or_else(|| format!("there is no {opening}…{closing}"))?;
    let rest = &text[start + opening.len()..];
    let end =
        rest.find(&closing).ok_or_else(|| format!("{opening} has no closing tag {closing}"))?;
    Ok(rest[..end].trim())
}

/// Returns an action of a setting without a corpus.
fn plain_action(action: &str) -> Result<Action, String> {
    let bare = action.trim_end_matches('.');
    if bare.eq_ignore_ascii_case("continue") {
        return Ok(Action::Continue);
    }
    const ANSWER: &str = "answer";
    let head = action.get(..ANSWER.len()).filter(|head| head.eq_ignore_ascii_case(ANSWER));
    let rest = head.map_or("", |_| &action[ANSWER.len()..]);
    match rest.strip_prefix([':', ' ']).map(|answer| answer.trim_start_matches([':', ' ']).trim()) {
        Some(answer) if !answer.is_empty() => Ok(Action::Answer(answer.to_owned())),
        _ => Err("the action is neither `continue` nor `answer: …`".to_owned()),
    }
}

/// Returns an action of a setting with a corpus, such as `Search[words]`.
fn bracketed_action(action: &str) -> Result<Action, String> {
    let inside = action.trim_end_matches('.').strip_suffix(']');
    let parts = inside.and_then(|inside| inside.split_once('['));
    let (name, text) = parts.map_or((action, ""), |(name, text)| (name.trim(), text.trim()));
    let make = match name {
        "Search" => Action::Search,
        "Lookup" => Action::Lookup,
        "Click" => Action::Click,
        "Finish" => Action::Answer,
        _ => {
            return Err(
                "the action is none of Search[…], Lookup[…], Click[…] and Finish[…]".to_owned()
            );
        }
    };
    match text {
        "" => Err(format!("{name} needs a text in brackets")),
        text => Ok(make(text.to_owned())),
    }
}
