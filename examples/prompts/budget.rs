use agent_benchmarks::budget::{Budget, ResourceKind, Rollouts};

use crate::{Sample, Samples, requests, text};

pub(crate) fn samples() -> Samples {
    let mut rollouts = Rollouts::new(["output_tokens"])?;
    let tokens = rollouts.resource("output_tokens")?;
    rollouts.set_cap(tokens, 200.0)?;
    rollouts.push(&[50.0, 20.0, 80.0], true)?;
    for (turn, content) in
        ["Sort 3, 1, 2.", "I compare 3 and 1.", "I compare 3 and 2."].iter().enumerate()
    {
        rollouts.set_content(0, turn, *content)?;
    }
    let settings = Budget::new([("output_tokens", ResourceKind::Tokens)])?;
    let instance = settings.instance(&rollouts, 0)?;
    Ok(vec![Sample {
        name: "budget",
        title: "Budget estimation",
        published: "BAGEN, appendix I; scripts/evaluation-scripts/eval/prompts in mll-lab-nu/BAGEN",
        requests: requests(instance.conversation(), [text("<answer>[80, 120]</answer>")])?,
    }])
}
