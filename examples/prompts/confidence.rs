use agent_benchmarks::{
    Checker, Conversation, Question,
    confidence::{Confidence, Corpus, Dataset},
    converse,
};

use crate::{Sample, Samples, requests, text};

const STEP: &str =
    "<think>It ends in 1.</think><action>continue</action><confidence>0.6</confidence>";

pub(crate) fn samples() -> Samples {
    let question = Question::new("q1", "Is 91 prime?", Checker::YesNo { answer: false });
    let instance = Confidence::new(3)?.instance(&question);
    let replies = ["Is it?", STEP, STEP].map(text);
    let stated = requests(instance.conversation(), replies)?;

    let cut_off = converse(instance.conversation(), |_| Ok(text(STEP)))?.record.run;
    let past = instance.after(&cut_off, 3, 2)?.ok_or("the run was cut off")?;
    let continued = past.request().into_iter().cloned().collect();
    let probe = instance.probe(&cut_off, 1)?;
    let probe = probe.request().into_iter().cloned().collect();

    let corpus = Corpus::read(include_str!("../data/demo_pages.jsonl"))?;
    let question = Question::new(
        "born",
        "In which town was the architect of the clock tower of Norden born?",
        Checker::Exact { answer: "Suden".to_owned() },
    );
    let instance = Confidence::published(Dataset::HotpotQa).with_corpus(corpus).instance(&question);
    let step = |action: &str| {
        text(&format!("<think>Hm.</think><action>{action}</action><confidence>0.5</confidence>"))
    };
    let actions = ["Search[clock tower architect]", "Click[Ada Keller]", "Lookup[born]"];
    let pages = requests(instance.conversation(), actions.map(step))?;
    let sample = |name, title, published, requests| Sample { name, title, published, requests };
    let none = "none: the paper prints no text for it";
    Ok(vec![
        sample("confidence", "Stated confidence", none, stated),
        sample(
            "confidence_pages",
            "Stated confidence with pages to search",
            "TPS, appendix K, the system prompts of StrategyQA and HotpotQA",
            pages,
        ),
        sample("confidence_continued", "A run that goes on after its limit", none, continued),
        sample(
            "confidence_p_true",
            "Is a run right?",
            "Kadavath et al. (2022), section 4, for one answer",
            probe,
        ),
    ])
}
