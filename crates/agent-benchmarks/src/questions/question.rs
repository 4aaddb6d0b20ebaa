use crate::questions::checker::Checker;

/// A question with an answer that can be checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The name, which no other question of a set has.
    pub id: String,
    /// The question in words. The choices of a [`Checker::Choice`] are not part of it.
    pub text: String,
    /// The right answer.
    pub checker: Checker,
    /// What a right answer is worth in [`triage`](crate::triage), above 0; 1 in the paper.
    pub value: f64,
}

impl Question {
    /// The question and its choices, as a model reads them.
    pub(crate) fn block(&self) -> String {
        let mut block = self.text.trim().to_owned();
        if let Checker::Choice { choices, .. } = &self.checker {
            for (at, choice) in choices.iter().enumerate() {
                block += &format!("\n{}) {}", Checker::letter(at), choice.trim());
            }
        }
        block
    }
}
