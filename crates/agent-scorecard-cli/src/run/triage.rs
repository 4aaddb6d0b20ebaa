//! `run triage`.

use std::{error::Error, path::PathBuf};

use agent_benchmarks::{
    Conversation, Question,
    triage::{Alpha, Framing, SolveConversation, Triage},
};
use agent_scorecard::live;
use clap::builder::TypedValueParser;

use crate::{
    run::{
        asking::{Asking, Finished, Protocol, QUESTIONS, questions},
        common::Common,
        expected::Expected,
    },
    values::{self, whole},
};

/// Each question is solved once; then the model plans for pools under a budget
#[derive(Debug, clap::Args)]
#[command(after_help = QUESTIONS)]
pub(crate) struct Options {
    /// A file of questions
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// The share of the costs that is the budget, above 0 and at most 1
    #[arg(long, value_name = "A", default_value = "0.5", value_parser = values::alpha)]
    alpha: Alpha,
    /// The opening of the prompt
    #[arg(long, value_name = "NAME", default_value = "neutral", value_parser = framings())]
    framing: Framing,
    /// Ask for JSON in words alone, for servers that refuse a JSON schema
    #[arg(long)]
    no_schema: bool,
    /// Questions of a pool
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = whole::<usize>(1, u64::MAX))]
    pool_size: usize,
}

fn framings() -> impl TypedValueParser<Value = Framing> {
    values::one_of(Framing::ALL.map(|framing| (framing.name(), framing)))
}

impl Options {
    fn protocol(&self) -> Triage {
        Triage::new(self.alpha)
            .with_framing(self.framing)
            .with_sampling(self.common.sampling())
            .with_schema(!self.no_schema)
    }
}

impl Protocol for Options {
    const NAME: &'static str = "triage";
    const FORM: &'static str =
        "one JSON object with a plan, or a solution that ends with <answer>...</answer>";

    fn common(&self) -> &Common {
        &self.common
    }

    fn setting(&self) -> String {
        let framing = self.framing.name();
        format!("alpha {}, {framing}, pools of {}", self.alpha, self.pool_size)
    }

    fn expect(&self, expected: &mut Expected<'_>) -> Result<(), Box<dyn Error>> {
        let questions = questions(&self.file)?;
        for question in &questions {
            let conversation = SolveConversation::new(question, self.common.sampling());
            expected.add([1; 2], conversation.request());
        }
        // The prompt of a plan repeats the questions of its pool.
        let pools = questions.len().div_ceil(self.pool_size);
        let texts: usize = questions.iter().map(|question| question.text.len()).sum();
        expected.conversations += pools;
        expected.requests += pools;
        expected.characters.iter_mut().for_each(|characters| *characters += texts);
        Ok(())
    }

    fn run(&self, asking: &Asking<'_>) -> Result<Finished, Box<dyn Error>> {
        let (setting, questions) = (self.protocol(), questions(&self.file)?);
        let named: Vec<(String, Question)> =
            questions.into_iter().map(|it| (format!("solve {}", it.id), it)).collect();
        let solve = |question| SolveConversation::new(question, self.common.sampling());
        let solved = asking.run("triage: questions", &named, solve)?;
        // A question without a reply, or whose reply does not count its tokens, is in no pool.
        let recorded: Vec<Question> = named
            .into_iter()
            .zip(&solved)
            .filter_map(|((_, question), record)| Some(question.with_recorded(record.attempt?)))
            .collect();
        let pools = (1..).zip(recorded.chunks(self.pool_size));
        let pools = pools.map(|(number, questions)| {
            let name = format!("pool-{number}");
            Ok((name.clone(), setting.instance(name, questions)?))
        });
        let pools: Vec<_> = pools.collect::<Result<_, agent_benchmarks::Error>>()?;
        let plans = asking.run("triage: plans", &pools, |it| it.conversation())?;
        let report = live::triage(&solved, &plans, &self.common.live())?;
        let records =
            solved.into_iter().map(|it| it.record).chain(plans.into_iter().map(|it| it.record));
        Ok((records.collect(), report))
    }
}
