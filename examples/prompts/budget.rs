use agent_benchmarks::budget::{Budget, ResourceKind, Rollouts};

use crate::{Sample, Samples, requests, text};

const PUBLISHED: &str =
    "BAGEN, appendix I; scripts/evaluation-scripts/eval/prompts in mll-lab-nu/BAGEN";

pub(crate) fn samples() -> Samples {
    let names = ["total_tokens", "cost_usd"];
    let mut rollouts = Rollouts::new(names)?.with_features(["cash_usd"])?.with_keys(["target"])?;
    for (name, cap) in names.into_iter().zip([200.0, 2.0]) {
        rollouts.set_cap(rollouts.resource(name)?, cap)?;
    }
    rollouts.push(&[50.0, 0.5, 20.0, 0.25, 80.0, 1.0], true)?;
    rollouts.set_key(0, "target", "10")?;
    for (turn, seen, said) in [
        (1, "Sort 3, 1, 2.", "I compare 3 and 1."),
        (2, "3 is larger.", "I compare 3 and 2."),
        (3, "3 is larger.", "1, 2, 3"),
    ] {
        rollouts.set_observation(0, turn, seen)?;
        rollouts.set_content(0, turn, said)?;
        rollouts.set_feature(0, turn, "cash_usd", 12.0 - 0.5 * turn as f64)?;
    }
    let tokens = Budget::new([(names[0], ResourceKind::Tokens)])?;
    let both = names.into_iter().zip([ResourceKind::Tokens, ResourceKind::Money]);
    let both = Budget::new(both)?.with_cash("cash_usd", "target");
    let points = tokens.clone().with_points().with_think_tokens(None);
    let sample = |name, title, setting: &Budget, answer| {
        let instance = setting.instance(&rollouts, 0)?;
        let requests = requests(instance.conversation(), [text(answer)])?;
        Ok(Sample { name, title, published: PUBLISHED, requests })
    };
    [
        ("budget", "Budget estimation", &tokens, "<answer>[80, 120]</answer>"),
        (
            "budget_several",
            "Budget estimation: several resources and a balance",
            &both,
            "<answer>total_tokens:[80, 120], cost_usd:[1, 2]</answer>",
        ),
        (
            "budget_point",
            "Budget estimation: a single number without thoughts",
            &points,
            "<answer>100</answer>",
        ),
    ]
    .into_iter()
    .map(|(name, title, setting, answer)| sample(name, title, setting, answer))
    .collect()
}
