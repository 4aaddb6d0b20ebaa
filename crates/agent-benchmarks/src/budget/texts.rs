//! The texts for a model at a prefix.

use std::borrow::Cow;

use budget_estimation::{Context, Prefix, ResourceContext};
use run_logs::{Message, Role};

use crate::{
    budget::settings::{Budget, ResourceKind},
    values::template::Template,
};

impl ResourceKind {
    fn meaning(self, name: &str) -> &'static str {
        match self {
            Self::Tokens if name.contains("output") => "tokens that the model writes",
            Self::Tokens if name.contains("input") => "tokens that the model reads",
            Self::Tokens => "tokens that the model reads or writes",
            Self::Money => "money that is paid",
            Self::Time => "time that passes",
            Self::Space => "storage that is occupied, summed over time",
        }
    }
}

/// Returns an amount without needless decimals.
fn amount(value: Option<f64>) -> String {
    value.map_or_else(|| "unknown".to_owned(), |value| value.to_string())
}

/// Returns the cost of a turn, counted from 0.
fn cost(it: &ResourceContext, turn: usize) -> Option<f64> {
    it.costs.get(turn).copied().flatten()
}

/// Returns an amount as a whole number, in the form in which the released code writes the resource use of a warehouse.
fn whole(value: Option<f64>) -> String {
    value.map_or_else(|| amount(None), |value| format!("{value:.0}"))
}

/// Returns the messages about a prefix: a system prompt, the turns so far as a dialogue, and the question. Only the prefix is
/// read.
pub(super) fn messages(settings: &Budget, prefix: &Prefix<'_>) -> Vec<Message> {
    let told = Told { settings, prefix, context: Context::new(prefix) };
    let own = prefix.content(0).filter(|_| settings.with_system_of_run);
    let system = own.map_or_else(|| told.fill(&settings.prompts.system), str::to_owned);
    let mut messages = vec![Message::new(Role::System, system)];
    for turn in 1..=prefix.turns() {
        let texts = [prefix.observation(turn), prefix.content(turn)];
        if texts != [None; 2] {
            // Servers want the roles to alternate.
            let [seen, said] = texts.map(|text| text.unwrap_or("(not recorded)"));
            messages.extend([Message::new(Role::User, seen), Message::new(Role::Assistant, said)]);
        }
    }
    let question = told.fill(&settings.prompts.question);
    let first = prefix.observation(1).filter(|_| prefix.turns() == 0);
    let question =
        first.map(|seen| format!("{}\n\n{question}", seen.trim_end())).unwrap_or(question);
    messages.push(Message::new(Role::User, question));
    messages
}

/// The facts that may be shown at a prefix.
struct Told<'a> {
    settings: &'a Budget,
    prefix: &'a Prefix<'a>,
    context: Context,
}

impl Told<'_> {
    fn fill(&self, template: &Template) -> String {
        template.fill(|place| Cow::Owned(self.place(place)))
    }

    fn place(&self, place: &str) -> String {
        let weeks = || self.resource("time_weeks").and_then(|it| it.used);
        let used = |name| whole(self.resource(name).and_then(|it| it.used));
        let cap = |name| whole(self.resource(name).and_then(|it| it.cap));
        match place {
            "completed_turns" => self.prefix.turns().to_string(),
            "turns_are_complete" => match self.prefix.turns() {
                1 => "1 turn is complete".to_owned(),
                turns => format!("{turns} turns are complete"),
            },
            "usage" => self.usage(),
            "account" => self.account(),
            "target" if self.settings.point => "a single number".to_owned(),
            "target" => "an interval that is narrow and yet holds the true amount".to_owned(),
            "form" => self.settings.answer(&self.form()),
            "impossible" => self.settings.answer("impossible"),
            "turn_token_usage_text" => self.token_usage(),
            "max_context_window_tokens" => {
                let (name, _) = &self.settings.resources[0];
                self.resource(name)
                    .and_then(|it| it.cap)
                    .map_or("unlimited".to_owned(), |it| it.to_string())
            }
            "completed_weeks" | "current_time_weeks" => whole(weeks()),
            "completed_day" => whole(weeks().map(|weeks| 7.0 * weeks)),
            "current_warehouse_item_weeks" => used("warehouse_item_weeks"),
            "current_cost_usd" => used("cumulative_cost_usd"),
            "current_cash_usd" => self.cash().map_or_else(|| amount(None), |(_, cash, _)| cash),
            "target_cash_usd" => self.cash().map_or_else(|| amount(None), |(_, _, target)| target),
            "resource_consumption_text" => self.consumption(),
            "budget_time_weeks" => cap("time_weeks"),
            "budget_warehouse_item_weeks" => cap("warehouse_item_weeks"),
            _ => cap("cumulative_cost_usd"),
        }
    }

    fn resource(&self, name: &str) -> Option<&ResourceContext> {
        self.context.resources.iter().find(|it| it.name == name)
    }

    /// Returns the resources that are shown. If the new part of requests is known, whole requests are left out, because
    /// they repeat earlier parts.
    fn resources(&self) -> impl Iterator<Item = &ResourceContext> {
        let has_fresh = self.resource("fresh_input_tokens").is_some();
        let is_told = move |it: &&ResourceContext| {
            !has_fresh || it.name != "input_tokens" || self.asked(it).is_some()
        };
        self.context.resources.iter().filter(is_told)
    }

    /// Returns the kind of a requested resource.
    fn asked(&self, it: &ResourceContext) -> Option<ResourceKind> {
        let mut asked = self.settings.resources.iter();
        asked.find(|(name, _)| *name == it.name).map(|(_, kind)| *kind)
    }

    /// Describes the usage of the turns.
    fn usage(&self) -> String {
        self.each_turn("\n", |at| {
            let told = self.resources().filter(|it| it.used.is_some() || self.asked(it).is_some());
            let costs = told.map(|it| format!("{} {}", it.name, amount(cost(it, at))));
            format!("Turn {}: {}", at + 1, costs.collect::<Vec<_>>().join(", "))
        })
    }

    /// Returns a text for each turn.
    fn each_turn(&self, between: &str, turn: impl Fn(usize) -> String) -> String {
        let turns: Vec<String> = (0..self.prefix.turns()).map(turn).collect();
        if turns.is_empty() { "None yet.".to_owned() } else { turns.join(between) }
    }

    /// Writes the usage in the form of the released code.
    fn token_usage(&self) -> String {
        let input = self.resource("fresh_input_tokens").or_else(|| self.resource("input_tokens"));
        let parts = [input, self.resource("output_tokens"), self.resource("total_tokens")];
        self.each_turn("; ", |at| {
            let [input, output, total] = parts.map(|part| cost(part?, at));
            let total = total.map_or_else(String::new, |total| format!(", total {total} tokens"));
            let (input, output) = (amount(input), amount(output));
            format!("Turn {}: input {input} tokens, output {output} tokens{total}", at + 1)
        })
    }

    /// Writes the usage in the form of the released code, which counts each turn as two weeks.
    fn consumption(&self) -> String {
        let names = ["warehouse_item_weeks", "cumulative_cost_usd"];
        self.each_turn("; ", |at| {
            let cost = |name| self.resource(name).and_then(|it| cost(it, at));
            let ([space, money], day) = (names.map(|name| whole(cost(name))), 14 * at);
            format!("Day {day}: time +2 weeks, warehouse +{space} item-weeks, cost +{money} USD")
        })
    }

    fn account(&self) -> String {
        let told = self.resources().filter(|it| self.asked(it).is_some() || it.cap.is_some());
        let lines = told.map(|it| {
            let kind = self.asked(it);
            let meaning =
                kind.map_or(String::new(), |kind| format!(", {}", kind.meaning(&it.name)));
            let limit =
                it.cap.map_or("no limit".to_owned(), |cap| format!("at most {cap} allowed"));
            format!("- {}{meaning}: {} spent, {limit}", it.name, amount(it.used))
        });
        let cash = self.cash().map(|(name, cash, target)| {
            format!("- {name}: {cash} now; the run must end with at least {target}")
        });
        lines.chain(cash).collect::<Vec<_>>().join("\n")
    }

    /// Returns the name of the balance, the balance and its target.
    fn cash(&self) -> Option<(&str, String, String)> {
        let (feature, target) = self.settings.cash.as_ref()?;
        let balance = amount(self.prefix.feature(self.prefix.turns(), feature));
        Some((feature, balance, self.prefix.key(target).unwrap_or("unknown").to_owned()))
    }

    fn form(&self) -> String {
        let one = if self.settings.point { "number" } else { "[low, high]" };
        match &self.settings.resources[..] {
            [_] => one.to_owned(),
            several => {
                let parts = several.iter().map(|(name, _)| format!("{name}:{one}"));
                parts.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

impl Budget {
    /// Returns the line that a reply should end with.
    fn answer(&self, answer: &str) -> String {
        let think = self.think_tokens.map(|tokens| {
            format!("<think>your thoughts, at most two sentences and {tokens} tokens</think>")
        });
        format!("{}<answer>{answer}</answer>", think.unwrap_or_default())
    }
}
