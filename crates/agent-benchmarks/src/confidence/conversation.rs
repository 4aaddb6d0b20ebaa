use censoring::{Probability, StopReason};
use run_logs::{Message, Reply, Role, Run, Score, Tokens};

use crate::{
    confidence::{
        corpus::Page,
        outcome::ConfidenceRecord,
        settings::{Action, Instance},
        texts,
    },
    engines::{
        conversation::{Conversation, check_id, repeat},
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
    values::{record::ReplyEvent, request::Request},
};

/// A conversation in which a model answers a question in steps. Made by [`Instance::conversation`].
///
/// - A reply without a readable action or without a readable confidence is no step. The request is repeated, the turn of the
///   reply is a [`Caller::FailedAttempt`](run_logs::Caller::FailedAttempt), and no stream has a value of the reply. After a
///   number of such replies in a row, by default three ([`Confidence::with_patience`](super::Confidence::with_patience)), the run
///   ends as [`StopReason::ParseError`].
/// - A run that reaches the limit of steps without an answer ends as [`StopReason::MaxSteps`] and has
///   no outcome.
#[derive(Clone, Debug)]
pub struct ConfidenceConversation<'a> {
    instance: &'a Instance,
    dialogue: Dialogue,
    /// The maximum number of steps.
    limit: usize,
    steps: usize,
    idle: usize,
    /// The titles of the displayed pages.
    shown: Vec<String>,
    answer: Option<String>,
}

impl Instance {
    /// Returns a conversation about the question.
    #[must_use]
    pub fn conversation(&self) -> ConfidenceConversation<'_> {
        let (settings, question) = (&self.settings, &self.question);
        let system = match &settings.prompts.system {
            Some(text) => text.text().to_owned(),
            None => texts::instructions(settings.pages()),
        };
        let request = Request {
            sampling: settings.sampling.clone(),
            top_logprobs: settings.top_logprobs,
            ..Request::new(vec![
                Message::new(Role::System, system),
                Message::new(Role::User, texts::question(&question.prompt(), settings.step_limit)),
            ])
        };
        let mut run = Run::new(question.id.clone());
        run.task = Some(question.id.clone());
        run.horizon = Some(settings.step_limit as u64);
        let dialogue = Dialogue::new(run, request);
        let limit = settings.step_limit;
        ConfidenceConversation {
            instance: self,
            dialogue,
            limit,
            steps: 0,
            idle: 0,
            shown: Vec::new(),
            answer: None,
        }
    }

    /// Returns the conversation of a run as it was after `steps` steps; `None` if the run has fewer steps or had ended
    /// by then. If only the limit on steps ended the run there, and `more` is above 0, the conversation continues: the
    /// model is told that at most `more` additional steps are possible, and earlier messages stay unchanged.
    ///
    /// Continue it with [`Branch`](crate::Branch) to estimate the probability of success after that step.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the run belongs to another question, and [`Error::Ended`] if it has more replies than the
    /// conversation takes.
    ///
    /// ```
    /// use agent_benchmarks::{Checker, Conversation, Question, Reply, Request, confidence::Confidence, converse};
    ///
    /// let question = Question::new("q", "Is ice lighter than water?", Checker::YesNo { answer: true });
    /// let instance = Confidence::new(2)?.instance(&question);
    /// let text = "<action>continue</action><confidence>0.6</confidence>";
    /// let slow = |_: &Request| Ok(Reply { text: text.to_owned(), ..Reply::default() });
    /// let run = converse(instance.conversation(), slow)?.record.run;
    /// assert!(instance.after(&run, 1, 3)?.is_some());
    ///
    /// let mut cut_off = instance.after(&run, 2, 3)?.expect("the limit of two steps ended the run");
    /// let answer = "<action>answer: yes</action><confidence>0.9</confidence>";
    /// cut_off.reply(Reply { text: answer.to_owned(), ..Reply::default() })?;
    /// assert_eq!(cut_off.finish().record.run.outcome, Some(true));
    /// # Ok::<(), agent_benchmarks::Error>(())
    /// ```
    pub fn after(
        &self,
        run: &Run,
        steps: usize,
        more: usize,
    ) -> Result<Option<ConfidenceConversation<'_>>, Error> {
        let mut conversation = self.repeated(run, steps)?;
        if conversation.steps < steps {
            return Ok(None);
        }
        if conversation.dialogue.stop() == Some(&StopReason::MaxSteps) && more > 0 {
            conversation.dialogue.reopen();
            conversation.limit += more;
            conversation.dialogue.say(Role::User, texts::more(more));
        }
        Ok(conversation.request().is_some().then_some(conversation))
    }

    /// Returns the conversation after this number of steps of a run, or after all of them.
    pub(super) fn repeated(
        &self,
        run: &Run,
        steps: usize,
    ) -> Result<ConfidenceConversation<'_>, Error> {
        let mut conversation = self.conversation();
        check_id(&self.question.id, run)?;
        for turn in &run.turns {
            if conversation.steps == steps {
                break;
            }
            repeat(&mut conversation, std::slice::from_ref(turn))?;
        }
        Ok(conversation)
    }
}

impl ConfidenceConversation<'_> {
    /// Returns a dialogue that asks something about this one.
    pub(super) fn dialogue_about(&self, question: &str) -> Dialogue {
        let mut request = self.dialogue.request_so_far().clone();
        // The question replaces everything after the latest reply, because roles alternate.
        let replies = request.messages.iter().rposition(|message| message.role == Role::Assistant);
        request.messages.truncate(replies.map_or(request.messages.len(), |last| last + 1));
        let mut dialogue = Dialogue::new(Run::default(), request);
        dialogue.say(Role::User, question);
        dialogue
    }

    /// Returns the result of an action in the corpus; `None` for an action without a search.
    fn carry_out(&mut self, action: Action) -> Option<String> {
        let settings = &self.instance.settings;
        let corpus = settings.corpus.as_ref()?;
        let cut = |text: &str| text.chars().take(settings.result_length).collect::<String>();
        let display = |page: &Page| {
            let links = match page.links.as_slice() {
                [] => String::new(),
                links => format!(" Links: {}.", links.join("; ")),
            };
            format!("[{}] {}{links}", page.title, cut(&page.text).trim_end())
        };
        let on_display = || self.shown.iter().filter_map(|title| corpus.page(title));
        let pages: Vec<&Page> = match action {
            Action::Continue | Action::Answer(_) => return None,
            Action::Search(words) => corpus.search(&words, settings.results).collect(),
            Action::Click(title) => {
                let is_linked = |page: &Page| {
                    page.links.iter().any(|link| link.to_lowercase() == title.to_lowercase())
                };
                match corpus.page(&title).filter(|_| on_display().any(is_linked)) {
                    Some(page) => vec![page],
                    None => return Some(format!("no page on display links to a page {title:?}")),
                }
            }
            Action::Lookup(keyword) => {
                let sentences: Vec<&str> =
                    on_display().flat_map(|page| page.sentences_with(&keyword)).collect();
                return Some(match sentences.as_slice() {
                    [] => format!("no sentence of the pages on display has {keyword:?}"),
                    sentences => cut(&sentences.join(" ")),
                });
            }
        };
        if pages.is_empty() {
            return Some("no page has any of these words".to_owned());
        }
        let text = pages.iter().map(|page| display(page)).collect::<Vec<_>>().join("\n");
        self.shown = pages.iter().map(|page| page.title.clone()).collect();
        Some(text)
    }
}

impl Conversation for ConfidenceConversation<'_> {
    type Record = ConfidenceRecord;

    through_dialogue!(|it| it.dialogue.problem());

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        let settings = &self.instance.settings;
        let read = settings.read_step(&reply);
        self.dialogue.take(reply)?;
        match read {
            Err(problem) => {
                self.idle += 1;
                self.dialogue.discard_reply();
                self.dialogue.note(ReplyEvent::Unreadable { problem: problem.clone() });
                if self.idle >= settings.patience {
                    self.dialogue.end(StopReason::ParseError);
                } else {
                    self.dialogue
                        .say(Role::User, texts::again(&problem, texts::actions(settings.pages())));
                }
            }
            Ok(Action::Answer(answer)) => {
                self.answer = Some(answer);
                self.dialogue.end(StopReason::Completed);
            }
            Ok(action) => {
                let found = self.carry_out(action);
                self.idle = 0;
                self.steps += 1;
                match self.limit - self.steps {
                    0 => self.dialogue.end_at_limit(
                        "steps",
                        self.limit,
                        "no answer in the last step",
                    ),
                    left => {
                        let text = match found {
                            None => texts::next(left),
                            Some(found) => texts::observation(&found, left),
                        };
                        self.dialogue.say(Role::User, text);
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> ConfidenceRecord {
        let Self { instance, dialogue, answer, .. } = self;
        let mut record = dialogue.finish();
        record.keep("benchmark", "confidence");
        if let Some(answer) = &answer {
            let is_right = instance.question.checker.is_right(answer);
            record.run.outcome = Some(is_right);
            let answer = Some(answer.clone());
            let score = Score { value: is_right.into(), answer, ..Score::default() };
            record.run.scores.insert("right".to_owned(), score);
        }
        ConfidenceRecord { record, answer, clips: instance.settings.clips }
    }
}

/// A conversation of one request, which asks a model whether the answer of a run is or will be right. Made by
/// [`Instance::probe`].
///
/// The record is the probability of the letter A (true) among the letters A and B in the first token of the reply that may be one
/// of them: `p(A) / (p(A) + p(B))`, from the log-probabilities of the token and of its alternatives; `None` without
/// log-probabilities. A letter outside the alternatives has the probability 0.
///
/// Reference: Kadavath et al. (2022), Language models (mostly) know what they know, arXiv:2207.05221, section 4.
#[derive(Clone, Debug)]
pub struct TruthProbe {
    dialogue: Dialogue,
    probability: Option<Probability>,
}

impl Instance {
    /// Creates a conversation that asks a model whether the answer of a run is right. The request has the messages up
    /// to the reply of step `steps`, followed by the question. The question does not become part of the run.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the run belongs to another question, and [`Error::Ended`] if it has more replies than the
    /// conversation takes.
    ///
    /// ```
    /// use agent_benchmarks::{Checker, Conversation, Question, Reply, Request, Tokens, confidence::Confidence, converse};
    ///
    /// let question = Question::new("q", "Is ice lighter than water?", Checker::YesNo { answer: true });
    /// let instance = Confidence::new(2)?.instance(&question);
    /// let text = "<action>answer: yes</action><confidence>0.6</confidence>";
    /// let run = converse(instance.conversation(), |_| Ok(Reply { text: text.to_owned(), ..Reply::default() }))?;
    /// let letters = |request: &Request| {
    ///     assert!(request.messages[3].text.contains("(A) true"));
    ///     let mut tokens = Tokens::default();
    ///     tokens.push(b"A", 0.6_f64.ln());
    ///     tokens.push_alternative(b"A", 0.6_f64.ln());
    ///     tokens.push_alternative(b" B", 0.2_f64.ln());
    ///     Ok(Reply { text: "A".to_owned(), tokens: Some(tokens), ..Reply::default() })
    /// };
    /// let probability = converse(instance.probe(&run.record.run, 1)?, letters)?;
    /// assert!((probability.unwrap().get() - 0.75).abs() < 1e-12);
    ///
    /// // A reply without a letter says nothing, whatever the letters' share beside its words is.
    /// let words = |_: &Request| {
    ///     let mut tokens = Tokens::default();
    ///     tokens.push(b"Unsure", 0.9_f64.ln());
    ///     tokens.push_alternative(b"A", 1e-7_f64.ln());
    ///     Ok(Reply { text: "Unsure".to_owned(), tokens: Some(tokens), ..Reply::default() })
    /// };
    /// assert_eq!(converse(instance.probe(&run.record.run, 1)?, words)?, None);
    /// # Ok::<(), agent_benchmarks::Error>(())
    /// ```
    pub fn probe(&self, run: &Run, steps: usize) -> Result<TruthProbe, Error> {
        let dialogue = self.repeated(run, steps)?.dialogue_about(texts::IS_IT_RIGHT);
        Ok(TruthProbe { dialogue, probability: None })
    }
}

/// Returns the probability of A among A and B where the reply names a letter.
fn probability_of_a(tokens: &Tokens) -> Option<Probability> {
    let is = |letter: &[u8], bytes: &[u8]| {
        bytes.iter().filter(|byte| !b" \n()".contains(byte)).eq(letter.iter())
    };
    tokens.iter().find_map(|token| {
        // A letter that is only an alternative to another word is not the reply's choice.
        if !is(b"A", token.bytes) && !is(b"B", token.bytes) {
            return None;
        }
        let mut shares = [0.0; 2];
        let own = (token.bytes, token.logprob);
        let others = token.alternatives().filter(|(bytes, _)| *bytes != token.bytes);
        for (bytes, logprob) in std::iter::once(own).chain(others) {
            for (share, letter) in shares.iter_mut().zip([b"A", b"B"]) {
                if is(letter, bytes) {
                    *share += logprob.exp();
                }
            }
        }
        let [a, b] = shares;
        Probability::new(a / (a + b)).ok()
    })
}

impl Conversation for TruthProbe {
    type Record = Option<Probability>;

    through_dialogue!(|it| it.dialogue.problem());

    fn reply(&mut self, reply: Reply) -> Result<(), Error> {
        self.probability = reply.tokens.as_ref().and_then(probability_of_a);
        self.dialogue.take(reply)?;
        self.dialogue.end(StopReason::Completed);
        Ok(())
    }

    fn finish(self) -> Option<Probability> {
        self.probability
    }
}
