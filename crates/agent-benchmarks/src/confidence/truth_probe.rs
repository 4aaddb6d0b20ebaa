use censoring::{Probability, StopReason};
use run_logs::{Reply, Run, Tokens};

use crate::{
    confidence::{settings::Instance, texts},
    engines::{
        conversation::Conversation,
        dialogue::{Dialogue, through_dialogue},
    },
    error::Error,
};

/// A question to a model whether the answer of a run is right, or will be right. Made by [`Instance::probe`].
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
    /// Creates the question whether a run is right, after `steps` of its steps. The request has the messages up to the
    /// reply of that step, followed by the question. The run itself does not contain the question.
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
