//! `run confidence`.

use std::{error::Error, path::PathBuf, sync::Mutex};

use agent_benchmarks::{
    Conversation, Request,
    client::AskError,
    confidence::{Confidence, Instance, problem_in},
    read_openai_chat,
};
use agent_scorecard::live;

use crate::{
    run::{
        asking::{Asking, Finished, Protocol, QUESTIONS, questions},
        common::Common,
        expected::Expected,
    },
    values::whole,
};

/// Each question is answered in steps with a stated confidence; a row for each stream that the replies have,
/// from stated confidence and from log-probabilities
#[derive(Debug, clap::Args)]
#[command(after_help = QUESTIONS)]
pub(crate) struct Options {
    /// A file of questions
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// The most steps of a run
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = whole::<usize>(1, 1_000))]
    steps: usize,
}

impl Options {
    fn instances(&self) -> Result<Vec<(String, Instance)>, Box<dyn Error>> {
        let setting = Confidence::new(self.steps)
            .map_err(|error| format!("--steps: {error}"))?
            .with_sampling(self.common.sampling());
        let questions = questions(&self.file)?;
        Ok(questions.into_iter().map(|it| (it.id.clone(), setting.instance(&it))).collect())
    }
}

impl Protocol for Options {
    const NAME: &'static str = "confidence";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        format!("at most {} steps", self.steps)
    }

    fn expect(&self, expected: &mut Expected<'_>) -> Result<(), Box<dyn Error>> {
        for (_, instance) in self.instances()? {
            // Each step may be asked for again twice.
            let most = self.steps.saturating_mul(3);
            expected.add([1, most], instance.conversation().request());
        }
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let instances = self.instances()?;
        let first = FirstReplies::new(asking.journal.answers() == 0);
        let ask = |request: &Request| (asking.ask)(request).and_then(|reply| first.check(reply));
        let watched = Asking { ask: &ask, ..*asking };
        let records = watched.run(Self::NAME, &instances, |it| it.conversation())?;
        let report = live::confidence(&records, &self.common.live())?;
        Ok((records.into_iter().map(|record| record.record).collect(), report))
    }
}

/// The first replies of a fresh folder: if none of them can be read, the rest will hardly be worth its money.
struct FirstReplies {
    /// How many were unreadable so far; `None` as soon as one could be read.
    unreadable: Mutex<Option<usize>>,
}

impl FirstReplies {
    const MOST: usize = 5;

    const fn new(is_fresh: bool) -> Self {
        Self { unreadable: Mutex::new(if is_fresh { Some(0) } else { None }) }
    }

    /// Hands on a reply unless it is the last of too many that cannot be read.
    fn check(&self, reply: Vec<u8>) -> Result<Vec<u8>, AskError> {
        let Ok(mut unreadable) = self.unreadable.lock() else { return Ok(reply) };
        let Some(count) = *unreadable else { return Ok(reply) };
        // Another part says what is wrong with a reply that is no chat completion.
        let Ok(read) = read_openai_chat(&reply) else { return Ok(reply) };
        let problem = problem_in(&read);
        *unreadable = problem.as_ref().map(|_| count + 1);
        match problem {
            Some(problem) if count + 1 >= Self::MOST => {
                let text: String = read.text.chars().take(300).collect();
                Err(AskError::Stop(format!(
                    "none of the first {} replies can be read; of the last, {problem}: {text:?}; expected is \
                     <thought>...</thought><action>continue</action> or <action>answer: ...</action>, and \
                     <confidence>p</confidence> with p from 0 to 1; the same call goes on all the same",
                    Self::MOST
                )))
            }
            _ => Ok(reply),
        }
    }
}
