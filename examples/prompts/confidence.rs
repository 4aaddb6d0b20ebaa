use agent_benchmarks::{Checker, Question, confidence::Confidence};

use crate::{Sample, Samples, requests, text};

pub(crate) fn samples() -> Samples {
    let question = Question::new("q1", "Is 91 prime?", Checker::YesNo { answer: false });
    let instance = Confidence::new(3)?.instance(&question);
    let step =
        "<thought>It ends in 1.</thought><action>continue</action><confidence>0.6</confidence>";
    let replies = ["Is it?", step, step].map(text);
    Ok(vec![Sample {
        name: "confidence",
        title: "Stated confidence",
        published: "TPS, appendix K, the system prompt of StrategyQA",
        requests: requests(instance.conversation(), replies)?,
    }])
}
