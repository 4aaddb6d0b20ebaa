//! What a model reads. The wording is this crate's own.

use std::fmt::Write;

use budget_estimation::{Context, Prefix};

use crate::budget::settings::{Budget, ResourceKind};

pub(super) const INSTRUCTIONS: &str = "You judge runs of agents while they are still going on. From what a \
     run has done and spent so far, you say whether it can still succeed within its limits, and how much \
     more it will spend.";

impl ResourceKind {
    const fn meaning(self) -> &'static str {
        match self {
            Self::Tokens => "tokens that the model reads or writes",
            Self::Money => "money that is paid",
            Self::Time => "time that passes",
            Self::Space => "storage that is occupied, summed over time",
        }
    }
}

/// An amount without needless decimals.
fn amount(value: Option<f64>) -> String {
    value.map_or_else(|| "unknown".to_owned(), |value| value.to_string())
}

/// The question about a prefix. Nothing but the prefix is read.
pub(super) fn question(settings: &Budget, prefix: &Prefix<'_>) -> String {
    let context = Context::new(prefix);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = ask(&mut text, settings, prefix, &context);
    text
}

fn ask(
    text: &mut String,
    settings: &Budget,
    prefix: &Prefix<'_>,
    context: &Context,
) -> std::fmt::Result {
    // Whole requests repeat what was sent before; where the new part is known, only that is told.
    let has_fresh = context.resources.iter().any(|it| it.name == "fresh_input_tokens");
    let is_told = |name: &str| !(has_fresh && name == "input_tokens");
    let told = || context.resources.iter().filter(|resource| is_told(&resource.name));
    if let Some(task) = prefix.content(0) {
        writeln!(text, "The task of the run:\n{task}\n")?;
    }
    for turn in 1..=prefix.turns() {
        writeln!(text, "Turn {turn}:")?;
        if let Some(content) = prefix.content(turn) {
            writeln!(text, "{content}")?;
        }
        for resource in told() {
            let cost = resource.costs.get(turn - 1).copied().flatten();
            writeln!(text, "({}: {})", resource.name, amount(cost))?;
        }
        writeln!(text)?;
    }
    let turns = prefix.turns();
    writeln!(text, "{turns} turns are complete, and the run goes on. Its account:")?;
    for resource in told() {
        let kind = settings.resources.iter().find(|(name, _)| *name == resource.name);
        let meaning = kind.map_or("", |(_, kind)| kind.meaning());
        let separator = if meaning.is_empty() { "" } else { ", " };
        write!(text, "- {}{separator}{meaning}: {} spent", resource.name, amount(resource.used))?;
        match resource.cap {
            Some(cap) => writeln!(text, ", at most {cap} allowed")?,
            None => writeln!(text, ", no limit")?,
        }
    }
    if let Some((feature, target)) = &settings.cash {
        let balance = amount(prefix.feature(prefix.turns(), feature));
        let target = prefix.key(target).unwrap_or("unknown");
        writeln!(text, "- {feature}: {balance} now; the run must end with at least {target}")?;
    }
    form(text, settings)
}

fn form(text: &mut String, settings: &Budget) -> std::fmt::Result {
    writeln!(
        text,
        "\nDecide first whether the run can still succeed within all limits. If it can, estimate how much \
         it will still spend from the next turn to its end, as an interval that is narrow and yet holds \
         the true amount. The turns so far do not count.\n\nEnd your reply with one line of this form:"
    )?;
    match &settings.resources[..] {
        [_] => writeln!(text, "<answer>[low, high]</answer>")?,
        several => {
            let parts: Vec<String> =
                several.iter().map(|(name, _)| format!("{name}:[low, high]")).collect();
            writeln!(text, "<answer>{}</answer>", parts.join(", "))?;
        }
    }
    write!(text, "or, if it cannot succeed:\n<answer>impossible</answer>")
}
