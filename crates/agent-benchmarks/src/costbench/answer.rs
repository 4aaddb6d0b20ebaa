use tool_graph::costbench::Task;

/// Returns whether an answer is this id; brackets and blanks around it do not matter.
pub(super) fn is_id(answer: &str, id: &str) -> bool {
    let bare = |text: &str| {
        let around = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | '.');
        text.trim_matches(around).to_owned()
    };
    bare(answer) == bare(id)
}

/// Returns the digits in a text.
pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Returns whether the released loop stops at this text, because the content of its first tags has five digits.
pub(super) fn has_answer(text: &str) -> bool {
    let inside =
        || text.split_once("<answer>")?.1.split_once("</answer>").map(|(inside, _)| inside);
    inside().is_some_and(|inside| digits(inside).len() == 5)
}

/// Returns whether the released evaluation looks for an answer in this text, and no further back.
pub(super) fn is_last_word(text: &str) -> bool {
    text.contains("<answer>") || text.contains("Candidate")
}

/// Returns the five digits of the answer that the released evaluation finds in a text. It looks for a candidate inside the first
/// tags after the reasoning, in curly braces, in brackets, or bare, in this order.
pub(super) fn found_number(text: &str) -> Option<String> {
    let after = match text.split("</think>").nth(1) {
        Some(after) if text.contains("<think>") => after,
        _ => text,
    };
    let lower = after.to_ascii_lowercase();
    let (_, rest) = lower.split_once("<answer>")?;
    let (inside, _) = rest.split_once("</answer>")?;
    let patterns: [&[&str]; 4] = [
        &["<", NAME, "{", "candidate_id", ":", NUMBER, "}", ">"],
        &["<", NAME, "{", NUMBER, "}", ">"],
        &["<", NAME, NUMBER, ">"],
        &[NAME, NUMBER],
    ];
    let starts = || inside.char_indices().map(|(at, _)| &inside[at..]);
    patterns.iter().find_map(|pattern| starts().find_map(|text| matched(text, pattern)))
}

/// The name of a candidate with its five digits, as a pattern.
const NAME: &str = "";
const NUMBER: &str = "00000";

/// Returns the number in a text that starts with these parts, with blanks between them.
fn matched(text: &str, pattern: &[&str]) -> Option<String> {
    let (mut rest, mut number) = (text, None);
    for (place, &part) in pattern.iter().enumerate() {
        if place > 0 {
            rest = rest.trim_start();
        }
        rest = match part {
            NAME => names().find_map(|name| rest.strip_prefix(name.as_str()))?,
            NUMBER => {
                let (found, after) = rest.split_at_checked(5)?;
                number = Some(found).filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
                number.map(|_| after)?
            }
            part => rest.strip_prefix(part)?,
        };
    }
    number.map(str::to_owned)
}

/// Returns the names of candidates in lower case: as in the released benchmark, and by the goal's data type.
fn names() -> impl Iterator<Item = String> {
    let both = |task: Task| {
        let goal = task.goal().to_ascii_lowercase();
        [format!("{}candidate", goal.trim_start_matches("travel")), goal]
    };
    Task::ALL.into_iter().flat_map(both)
}
