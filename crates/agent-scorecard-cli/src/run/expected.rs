//! What a run would ask, without asking it.

use std::error::Error;

use agent_benchmarks::{Conversation, Request, triage::SolveConversation};
use run_logs::Reply;

use crate::run::{
    benchmarks::{budget_setting, confidence_instances, costbench_instances, questions, rollouts},
    options::{Benchmark, Options},
};

/// What is expected of a run that is not made.
#[derive(Default)]
pub(crate) struct Expected {
    pub(crate) conversations: usize,
    /// The fewest requests.
    pub(crate) requests: usize,
    /// Characters of all prompts: the fewest, and those if replies are as many and as long as they can be.
    pub(crate) characters: [usize; 2],
    /// Characters of the longest reply.
    longest_reply: usize,
}

/// Characters of a token, in English text.
pub(crate) const TOKEN: usize = 4;

impl Expected {
    fn new(options: &Options) -> Self {
        let tokens = usize::try_from(options.max_output_tokens).unwrap_or(usize::MAX);
        Self { longest_reply: tokens.saturating_mul(TOKEN), ..Self::default() }
    }

    /// Adds a conversation of the fewest and the most requests, each of which repeats the first one and
    /// the replies.
    fn add(&mut self, [fewest, most]: [usize; 2], first: Option<&Request>) {
        let first = first.map_or(0, characters);
        let replies = self.longest_reply.saturating_mul(most * most.saturating_sub(1) / 2);
        self.conversations += 1;
        self.requests += fewest;
        self.characters[0] += fewest * first;
        self.characters[1] =
            self.characters[1].saturating_add(replies.saturating_add(most * first));
    }
}

/// Characters of a prompt.
fn characters(request: &Request) -> usize {
    agent_benchmarks::openai_chat_body(request, "").len()
}

/// What a run would ask.
pub(crate) fn expected(options: &Options) -> Result<Expected, Box<dyn Error>> {
    let mut expected = Expected::new(options);
    match options.benchmark {
        Benchmark::CostBench => {
            for (_, instance) in costbench_instances(options)? {
                // As many calls as on the optimal path, and the answer.
                let requests = instance.reference().calls().len() + 1;
                expected.add([requests; 2], instance.conversation().request());
            }
        }
        Benchmark::Triage => {
            let questions = questions(options)?;
            for question in &questions {
                let conversation = SolveConversation::new(question, options.sampling());
                expected.add([1; 2], conversation.request());
            }
            // The prompt of a plan repeats the questions of its pool.
            let pools = questions.len().div_ceil(options.pool_size);
            let texts: usize = questions.iter().map(|question| question.text.len()).sum();
            expected.conversations += pools;
            expected.requests += pools;
            expected.characters.iter_mut().for_each(|characters| *characters += texts);
        }
        Benchmark::Confidence => {
            for (_, instance) in confidence_instances(options)? {
                // Each step may be asked for again twice.
                let most = options.steps.saturating_mul(3);
                expected.add([1, most], instance.conversation().request());
            }
        }
        Benchmark::Budget => {
            let (rollouts, _) = rollouts(options)?;
            let setting = budget_setting(options)?;
            for at in 0..rollouts.len() {
                let instance = setting.instance(&rollouts, at)?;
                let mut conversation = instance.conversation();
                // No request depends on the replies before it.
                while let Some(request) = conversation.request() {
                    expected.add([1; 2], Some(request));
                    expected.conversations -= 1;
                    conversation.reply(Reply::default())?;
                }
                expected.conversations += 1;
            }
        }
    }
    Ok(expected)
}
