use censoring::StopReason;

/// Returns the words of a name, in lower case. `outputTokens` and `LLMCalls` both have two words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = name.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && (before.is_lowercase() || (before.is_uppercase() && next_is_lower));
        if begins || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

/// Returns the stop reason of an exceeded cap on a resource with this name. Every cap is a budget fixed in
/// advance, so the name of the resource decides only the name of the stop.
pub(crate) fn cap_reason(resource: &str) -> StopReason {
    let words = words(resource);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if has(&["cost", "costs", "usd", "eur", "dollar", "dollars", "cents", "money", "price"])
        || has(&["euro", "euros", "gbp", "credit", "credits", "spend"])
    {
        StopReason::MaxCost
    } else if has(&["token", "tokens"]) {
        StopReason::MaxTokens
    } else if has(&["time", "s", "ms", "sec", "second", "seconds", "minute", "minutes", "hours"])
        || has(&["clock", "duration", "latency", "elapsed", "runtime", "secs", "mins", "hour"])
    {
        StopReason::MaxTime
    } else if has(&["step", "steps", "turn", "turns", "call", "calls", "message", "messages"])
        || has(&["request", "requests", "round", "rounds", "iteration", "iterations"])
    {
        StopReason::MaxSteps
    } else {
        StopReason::MaxOther { resource: resource.to_owned() }
    }
}
