//! What a model reads. The wording is this crate's own.

pub(super) const INSTRUCTIONS: &str = "You answer one question in steps. Each of your replies is one step \
     and has three parts:\n\
     <thought>what you work out in this step</thought>\n\
     <action>continue</action> to take another step, or <action>answer: your answer</action> to finish\n\
     <confidence>p</confidence>\n\
     Here p is a number from 0 to 1: the probability, as you see it now, that the answer that you will \
     finally give is right. State it in every step, also before you know the answer.";

/// The first message of the user.
pub(super) fn question(prompt: &str, steps: usize) -> String {
    format!("{prompt}\n\nYou have at most {steps} steps.")
}

/// The message after a step that goes on.
pub(super) fn next(left: usize) -> String {
    match left {
        1 => "This is your last step: answer now.".to_owned(),
        left => format!("{left} steps are left. Take the next one."),
    }
}

/// The message after a reply that is asked for again.
pub(super) fn again(problem: &str) -> String {
    format!(
        "Your reply could not be used: {problem}. Send this step again, with <thought>…</thought>, \
         <action>continue</action> or <action>answer: your answer</action>, and \
         <confidence>p</confidence>, where p is a number from 0 to 1."
    )
}
