use censoring::StopReason;
use run_logs::{Message, Reply, Role, Run};

use crate::{
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    triage::prompts::{self, Prompts},
    values::{
        checker::{Checker, answer_in},
        question::{Attempted, Question},
        record::{Record, ReplyEvent},
        request::{Request, Sampling},
    },
};

/// A conversation of one request, in which a model solves one question without a budget. Its record has the attempt for
/// [`Question::with_recorded`].
///
/// ```
/// use agent_benchmarks::{Checker, Question, Reply, Request, Sampling, Usage, converse};
/// use agent_benchmarks::triage::SolveConversation;
///
/// let checker = Checker::Numeric { answer: 42.0, tolerance: 0.0 };
/// let question = Question::new("q1", "What is 6 times 7?", checker);
/// let model = |_: &Request| {
///     let usage = Usage { output_tokens: Some(12), ..Usage::default() };
///     let text = "Six sevens. <answer>42</answer>".to_owned();
///     Ok(Reply { text, usage: Some(usage), ..Reply::default() })
/// };
/// let record = converse(SolveConversation::new(&question, Sampling::default()), model)?;
/// let attempt = record.attempt.expect("the reply counts its tokens");
/// assert_eq!((attempt.output_tokens, attempt.solved), (12, true));
/// # Ok::<(), agent_benchmarks::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SolveConversation<'a> {
    question: &'a Question,
    dialogue: Dialogue,
    answer: Option<String>,
}

/// The record of a [`SolveConversation`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolveRecord {
    /// The run, and the problem with its reply. Its outcome is whether the answer is right.
    pub record: Record,
    /// The text between the answer tags.
    pub answer: Option<String>,
    /// The attempt; `None` without a reply, for a reply with an unknown number of tokens or without tokens, and for a refusal.
    pub attempt: Option<Attempted>,
    /// Whether the reply was cut off at a token limit. The cost of the attempt is then the limit.
    pub is_cut_off: bool,
    /// Whether the model or a filter of its provider refused to reply.
    pub is_refused: bool,
}

impl SolveRecord {
    /// Creates the record of a question's recorded attempt, without a conversation; `None` for a question without such
    /// an attempt. If the attempt has 0 tokens, the record contains no attempt, as after a reply without tokens.
    #[must_use]
    pub fn of_recorded(question: &Question) -> Option<Self> {
        let recorded = question.recorded?;
        let attempt = Some(recorded).filter(|attempt| attempt.output_tokens > 0);
        let mut run = Run::new(question.id.clone());
        run.outcome = Some(recorded.solved);
        let record = Record { run, events: Vec::new() };
        Some(Self { record, answer: None, attempt, is_cut_off: false, is_refused: false })
    }

    /// Returns whether the attempt was recorded outside a conversation.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.record.run.turns.is_empty()
    }

    /// Sets whether an external judge considers the answer right. With `None`, the attempt is left out.
    #[must_use]
    pub fn judged(mut self, solved: Option<bool>) -> Self {
        let verdict = |attempt| Some(Attempted { solved: solved?, ..attempt });
        self.attempt = self.attempt.and_then(verdict);
        self.record.run.outcome = solved;
        self
    }
}

impl<'a> SolveConversation<'a> {
    /// Creates the conversation about a question.
    #[must_use]
    pub fn new(question: &'a Question, sampling: Sampling) -> Self {
        let message = Message::new(Role::User, prompts::solving(question, None));
        let request = Request { sampling, ..Request::new(vec![message]) };
        let dialogue = Dialogue::new(Run::new(question.id.clone()), request);
        Self { question, dialogue, answer: None }
    }

    /// Creates the conversation about a question, in which the banner of these prompts tells the model a budget of
    /// tokens. The budget is not enforced; it can be the allocation in the model's own plan. The attempts without and
    /// with this banner form a [`ReSolve`](knapsack_oracle::ReSolve).
    ///
    /// Reference: TRIAGE, appendix C.1.
    #[must_use]
    pub fn with_announced_budget(
        question: &'a Question,
        sampling: Sampling,
        prompts: &Prompts,
        tokens: u64,
    ) -> Self {
        let mut conversation = Self::new(question, sampling);
        conversation.dialogue.request_mut().messages[0].text =
            prompts::solving(question, Some((prompts, tokens)));
        conversation
    }
}

/// Returns the tokens of a reply; `None` if it does not say.
pub(super) fn output_tokens(reply: &Reply) -> Option<u64> {
    let counted = reply.usage.as_ref().and_then(|usage| usage.output_tokens);
    counted.or_else(|| reply.tokens.as_ref().map(|tokens| tokens.len() as u64))
}

/// Returns the answer in a reply; notes the reason if there is no answer.
pub(super) fn answer_of(text: &str, dialogue: &mut Dialogue) -> Option<String> {
    let answer = answer_in(text).map(str::to_owned);
    answer.map_err(|problem| dialogue.note(ReplyEvent::Unreadable { problem })).ok()
}

impl Conversation for SolveConversation<'_> {
    type Record = SolveRecord;

    through_dialogue!(|it| {
        let checker = &it.question.checker;
        let needs_none = matches!(checker, Checker::Unsolvable { .. } | Checker::Outside);
        it.dialogue.problem_if_whole().filter(|_| !needs_none)
    });

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let text = reply.text.clone();
        self.dialogue.take(reply)?;
        self.answer = answer_of(&text, &mut self.dialogue);
        self.dialogue.end(StopReason::Completed);
        Ok(())
    }

    fn finish(self) -> SolveRecord {
        let mut record = self.dialogue.finish();
        record.keep("benchmark", "triage_attempt");
        let reply = record.run.turns.first().and_then(|turn| turn.reply.as_ref());
        let checker = &self.question.checker;
        let solved = self.answer.as_ref().is_some_and(|answer| checker.is_right(answer));
        let outcome = reply.map(|_| solved);
        let is_cut_off = reply.is_some_and(|it| it.stop == Some(StopReason::MaxTokens));
        let is_refused = reply.is_some_and(|reply| {
            reply.refusal.is_some() || reply.stop == Some(StopReason::EnvironmentEnd)
        });
        let tokens = reply.and_then(output_tokens).filter(|tokens| *tokens > 0 && !is_refused);
        let attempt = tokens.map(|output_tokens| Attempted { output_tokens, solved });
        record.run.outcome = outcome;
        SolveRecord { record, answer: self.answer, attempt, is_cut_off, is_refused }
    }
}
