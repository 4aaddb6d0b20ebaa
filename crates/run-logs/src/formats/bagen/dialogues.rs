use std::io::Read;

use budget_estimation::Rollouts;
use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::{
        fresh_input::fresh,
        json::{reader::Json, writing::to_json},
    },
    error::Error,
    format::ReadLimits,
    formats::bagen::{
        answer::{is_space, strip},
        estimate_file::Kind,
    },
    values::run::number_of,
};

/// The tokens of one turn, excluding the history that its request repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnTokens {
    /// New input tokens.
    pub input: Option<i64>,
    /// Output tokens, including reasoning.
    pub output: Option<i64>,
    /// The sum of input and output tokens; if only one of them is known, that one.
    pub total: Option<i64>,
}

/// A recorded run of a token benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenDialogue {
    /// Position of the rollout in its file, from 0.
    pub rollout: usize,
    /// Whether the rollout succeeded, even if it exceeded the cap.
    pub success: bool,
    /// The turns before the first truncated one that have a text of the assistant; at least one.
    pub turns: Vec<TurnTokens>,
    /// The system message of the first turn; empty without one.
    pub system: String,
    /// For each turn, what the agent observed and what it answered.
    pub texts: Vec<[String; 2]>,
}

/// Reads runs of a token benchmark as BAGEN's evaluation does with the budget `cap`.
///
/// Requests carry the whole history. If at least half of the requests have an input of at least the previous input and the
/// previous visible output together, the new input of a turn is the difference to this sum, and at least 0. Visible output
/// excludes reasoning tokens. A run ends before the first turn that was truncated, and turns without a text of the assistant are
/// left out. `cap` is the budget in tokens, if there is one; a turn beyond it without any action counts as truncated.
///
/// # Errors
///
/// [`Error::Invalid`] if the file is not a list of rollouts in JSON, and [`Error::Io`] if it cannot be read.
///
/// Reference: `ragen/env/token_estimation/env.py`, `_flatten_rollouts` with
/// `turn_usage_mode="turn_excluding_history"`.
///
/// ```
/// use run_logs::{Error, bagen::{TokenDialogue, token_dialogues}};
///
/// let turn = |input, output| format!(
///     r#"{{"raw_response": "go", "api_input_tokens": {input}, "api_output_tokens": {output}}}"#
/// );
/// let turns = [turn(300, 60), turn(380, 68), turn(470, 79), turn(560, 70)].join(",");
/// let json = format!(r#"[{{"rollout_success": true, "turns": [{turns}]}}]"#);
/// let dialogues = token_dialogues(json.as_bytes(), 3_500)?;
/// let rollouts = TokenDialogue::rollouts(&dialogues, 3_500)?;
/// let tokens = rollouts.resource("total_tokens")?;
/// // The requests together have 1,987 tokens, most of them repeated.
/// assert_eq!(rollouts.get(0)?.usage(tokens)?.total(), 630.0);
/// # Ok::<(), Error>(())
/// ```
pub fn token_dialogues(
    source: impl Read,
    cap: impl Into<Option<i64>>,
) -> Result<Vec<TokenDialogue>, Error> {
    let cap = cap.into();
    Ok(rollouts(source)?
        .iter()
        .enumerate()
        .filter_map(|(i, value)| dialogue(i, value, cap))
        .collect())
}

/// Returns the number of runs in a file of recorded runs, including runs from which [`token_dialogues`] and
/// [`warehouse_dialogues`] make no dialogue.
///
/// # Errors
///
/// The errors of [`token_dialogues`].
///
/// ```
/// use run_logs::bagen::{count_runs, token_dialogues};
///
/// let json = r#"[{"turns": [{"raw_response": "go"}]}, {"turns": []}]"#;
/// assert_eq!(token_dialogues(json.as_bytes(), 100)?.len(), 1);
/// assert_eq!(count_runs(json.as_bytes())?, 2);
/// # Ok::<(), run_logs::Error>(())
/// ```
pub fn count_runs(source: impl Read) -> Result<usize, Error> {
    Ok(rollouts(source)?.len())
}

fn dialogue(rollout: usize, value: &Value, cap: Option<i64>) -> Option<TokenDialogue> {
    let turns = sorted_turns(value);
    let kept = turns.into_iter().take_while(|turn| !is_truncated(turn, cap));
    let turns: Vec<&Value> = kept.filter(|turn| !assistant_text(turn).is_empty()).collect();
    if turns.is_empty() {
        return None;
    }
    let success = truth(field(value, "rollout_success"))
        || turns.iter().any(|turn| truth(field(turn, "success")));
    let requests: Vec<TurnTokens> = turns.iter().map(|turn| request(turn)).collect();
    let visible: Vec<Option<i64>> = turns.iter().map(|turn| visible_output(turn)).collect();
    let first = turns.first().map_or(&[][..], |turn| list(turn, "messages")).first();
    let system = first.filter(|message| text(field(message, "role")) == "system");
    Some(TokenDialogue {
        rollout,
        success,
        turns: without_history(&requests, &visible),
        system: system.map_or(String::new(), |message| text(field(message, "content"))),
        texts: turns.iter().map(|turn| texts(turn)).collect(),
    })
}

/// Returns the observation of the agent in a turn and its answer.
fn texts(turn: &Value) -> [String; 2] {
    let shown = match user_text(turn) {
        Value::Text(text) => text.clone(),
        other => text(other),
    };
    [shown, assistant_text(turn)]
}

/// Sets the texts of the turns of a run.
fn set_texts(rollouts: &mut Rollouts, run: usize, texts: &[[String; 2]]) -> Result<(), Error> {
    for (turn, [shown, answered]) in (1..).zip(texts) {
        rollouts.set_observation(run, turn, shown)?;
        rollouts.set_content(run, turn, answered)?;
    }
    Ok(())
}

fn first(turn: &Value, keys: &[&str]) -> Option<i64> {
    keys.iter().find_map(|key| whole(field(turn, key)))
}

fn input_tokens(turn: &Value) -> Option<i64> {
    first(turn, &["api_input_tokens", "input_tokens"])
}

fn output_tokens(turn: &Value) -> Option<i64> {
    first(turn, &["api_output_tokens", "output_tokens", "actual_token"])
}

fn total_tokens(turn: &Value) -> Option<i64> {
    let parts = [input_tokens(turn), first(turn, &["api_output_tokens", "output_tokens"])];
    let known = parts.iter().any(Option::is_some);
    first(turn, &["api_total_tokens", "total_tokens"])
        .or_else(|| known.then(|| parts.iter().flatten().sum()))
        .or_else(|| first(turn, &["actual_token"]))
}

fn is_truncated(turn: &Value, cap: Option<i64>) -> bool {
    let flag = |value: &Value| truth(field(value, "context_token_truncated"));
    let is_empty = |value: &Value| matches!(value, Value::List(items) if items.is_empty());
    let has_actions = match field(turn, "actions") {
        Value::Null => !is_empty(field(turn, "action_names")),
        Value::Text(text) if text.is_empty() => !is_empty(field(turn, "action_names")),
        actions => !is_empty(actions),
    };
    flag(turn)
        || flag(field(turn, "info"))
        || (total_tokens(turn).zip(cap).is_some_and(|(total, cap)| total > cap)
            && !truth(field(turn, "success"))
            && !assistant_text(turn).is_empty()
            && !has_actions)
}

/// Returns the tokens of one request, with one part derived from the other two.
fn request(turn: &Value) -> TurnTokens {
    let (mut input, mut output) = (input_tokens(turn), output_tokens(turn));
    let mut total = total_tokens(turn);
    if let Some(total) = total {
        input = input.or_else(|| output.filter(|part| *part <= total).map(|part| total - part));
        output = output.or_else(|| input.filter(|part| *part <= total).map(|part| total - part));
    }
    if total.is_none() && (input.is_some() || output.is_some()) {
        total = Some(input.unwrap_or(0) + output.unwrap_or(0));
    }
    TurnTokens { input, output, total }
}

/// Returns the output of a turn without reasoning: as reported, or by the share of the words that were kept.
fn visible_output(turn: &Value) -> Option<i64> {
    let output = output_tokens(turn)?.max(0);
    let reported = list(turn, "api_interactions").iter().filter_map(|interaction| {
        let raw = field(field(interaction, "usage"), "raw");
        let details = ["output_tokens_details", "completion_tokens_details"];
        details.iter().find_map(|key| whole(field(field(raw, key), "reasoning_tokens")))
    });
    let reported: Vec<i64> = reported.map(|tokens| tokens.max(0)).collect();
    if !reported.is_empty() {
        return Some((output - reported.iter().sum::<i64>()).max(0));
    }
    let raw = ["raw_response", "raw_generation"].iter().map(|key| field(turn, key));
    let raw = raw.filter(|value| truth(value)).map(text).next().unwrap_or_default();
    let parsed = text(field(turn, "parsed_response"));
    let counts = [word_count(&raw), word_count(&parsed)];
    if raw == parsed || counts.contains(&0) {
        return Some(output);
    }
    let share = (counts[1] as f64 / counts[0] as f64).min(1.0);
    Some((output as f64 * share).round_ties_even() as i64)
}

/// Returns the number of matches of `\w+|[^\w\s]`.
fn word_count(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut count = 0;
    let mut in_word = false;
    for c in text.chars() {
        if is_word(c) {
            count += usize::from(!in_word);
        } else if !is_space(c) {
            count += 1;
        }
        in_word = is_word(c);
    }
    count
}

fn without_history(requests: &[TurnTokens], visible: &[Option<i64>]) -> Vec<TurnTokens> {
    let input: Vec<Option<i64>> = requests.iter().map(|request| request.input).collect();
    let (input, repeats) = fresh(&input, visible);
    let turn = |(request, input): (&TurnTokens, Option<i64>)| {
        let total = match (input, request.output) {
            (Some(input), Some(output)) => Some(input + output),
            _ if !repeats => request.total,
            (input, _) => input,
        };
        TurnTokens { input, output: request.output, total }
    };
    requests.iter().zip(input).map(turn).collect()
}

impl TokenDialogue {
    /// Converts the runs to rollouts with the resources `input_tokens`, `output_tokens` and `total_tokens`, a cap on
    /// `total_tokens` if one is given, the texts of the turns, and the identifiers `rollout-0`, `rollout-1`, … by
    /// position in the file.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] as from [`Rollouts::push`] and [`Rollouts::set_cap`].
    pub fn rollouts(dialogues: &[Self], cap: impl Into<Option<i64>>) -> Result<Rollouts, Error> {
        let mut rollouts = Rollouts::new(["input_tokens", "output_tokens", "total_tokens"])?;
        for dialogue in dialogues {
            let amounts = |turn: &TurnTokens| [turn.input, turn.output, turn.total];
            let costs = dialogue.turns.iter().flat_map(amounts);
            let costs: Vec<_> = costs.map(|tokens| tokens.map(|tokens| tokens as f64)).collect();
            let index = rollouts.push(&costs, dialogue.success)?;
            rollouts.set_id(index, format!("rollout-{}", dialogue.rollout))?;
            if !dialogue.system.is_empty() {
                rollouts.set_content(index, 0, &dialogue.system)?;
            }
            set_texts(&mut rollouts, index, &dialogue.texts)?;
        }
        if let Some(cap) = cap.into() {
            let tokens = rollouts.resource("total_tokens")?;
            rollouts.set_cap(tokens, cap as f64)?;
        }
        Ok(rollouts)
    }
}

/// A recorded run of the Warehouse benchmark.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WarehouseDialogue {
    /// Position of the rollout in its file, from 0.
    pub rollout: usize,
    /// Whether the rollout succeeded.
    pub success: bool,
    /// The final cash in USD.
    pub final_cash: f64,
    /// For each completed turn except the last, the cumulative use of time in weeks, storage in item weeks and cost in
    /// USD; `None` if the file lacks any of the three.
    pub used: Vec<Option<[f64; 3]>>,
    /// For each completed turn except the last, the time so far in weeks.
    weeks: Vec<f64>,
    /// The total use of the three resources in the whole run.
    pub total: [f64; 3],
    /// For each completed turn except the last, the cash in USD.
    pub cash: Vec<Option<f64>>,
    /// For each turn, what the agent observed and what it answered.
    pub texts: Vec<[String; 2]>,
}

/// Reads recorded runs of Warehouse as BAGEN's evaluation does: from the finances of each turn, rounded to whole
/// numbers, and from the days in the prompts. Leaves out turns without a text of the assistant, runs with fewer than
/// two turns, and runs without final finances.
///
/// # Errors
///
/// [`Error::Invalid`] if the file is not a list of rollouts in JSON, and [`Error::Io`] if it cannot be read.
///
/// Reference: `ragen/env/money_estimation/env.py`, `_flatten_rollouts`.
///
/// ```
/// use run_logs::{Error, bagen::warehouse_dialogues};
///
/// let turn = |day, cost| format!(
///     r#"{{"raw_response": "pass", "user_prompt": "Day {day}", "financials":
///         {{"cash": 900, "cumulative_cost": {cost}, "cumulative_inventory_weeks": 30}}}}"#
/// );
/// let turns = [turn(0, 10.5), turn(14, 25.0)].join(",");
/// let json = format!(r#"[{{"success": true, "final_state": "Day 28", "turns": [{turns}]}}]"#);
/// let dialogues = warehouse_dialogues(json.as_bytes())?;
/// assert_eq!(dialogues[0].used, [Some([2.0, 30.0, 10.0])]);
/// assert_eq!(dialogues[0].total, [4.0, 30.0, 25.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn warehouse_dialogues(source: impl Read) -> Result<Vec<WarehouseDialogue>, Error> {
    Ok(rollouts(source)?
        .iter()
        .enumerate()
        .filter_map(|(i, value)| warehouse_run(i, value))
        .collect())
}

fn warehouse_run(rollout: usize, value: &Value) -> Option<WarehouseDialogue> {
    let turns: Vec<&Value> =
        sorted_turns(value).into_iter().filter(|turn| !assistant_text(turn).is_empty()).collect();
    let last = turns.last().filter(|_| turns.len() >= 2)?;
    let final_state = field(value, "final_state");
    let initial_day = day(field(value, "initial_state")).unwrap_or(0.0);
    let finances = |turn: &Value, key: &str| {
        number(field(field(turn, "financials"), key)).map(f64::round_ties_even)
    };
    let weeks = |day: f64| (day / 7.0).round_ties_even();
    let final_day = day(final_state).unwrap_or(initial_day + 14.0 * turns.len() as f64);
    let cash_after = |pair: &[&Value]| {
        let [current, next] = pair else { return None };
        finances(current, "cash").or_else(|| cash(user_text(next)))
    };
    let later = turns.iter().skip(1).zip(1_u32..).map(|(next, completed)| {
        weeks(day(user_text(next)).unwrap_or(initial_day + 14.0 * f64::from(completed)))
    });
    let later: Vec<f64> = later.collect();
    let used = turns.windows(2).zip(&later).map(|(pair, weeks)| {
        cash_after(pair)?;
        let current = pair.first()?;
        let storage = finances(current, "cumulative_inventory_weeks")?;
        Some([*weeks, storage, finances(current, "cumulative_cost")?])
    });
    let success = match as_bool(field(value, "success")) {
        Some(success) => success,
        None => turns.iter().any(|turn| as_bool(field(turn, "success")) == Some(true)),
    };
    Some(WarehouseDialogue {
        rollout,
        success,
        final_cash: finances(last, "cash").or_else(|| cash(final_state))?,
        used: used.collect(),
        weeks: later.clone(),
        cash: turns.windows(2).map(cash_after).collect(),
        texts: turns.iter().map(|turn| texts(turn)).collect(),
        total: [
            weeks(final_day),
            finances(last, "cumulative_inventory_weeks")?,
            finances(last, "cumulative_cost")?,
        ],
    })
}

fn user_text(turn: &Value) -> &Value {
    let prompt = field(turn, "user_prompt");
    if !matches!(prompt, Value::Null) {
        return prompt;
    }
    let is_user = |message: &&Value| text(field(message, "role")) == "user";
    let message = list(turn, "messages").iter().rev().find(is_user);
    message.map_or(&Value::Null, |message| field(message, "content"))
}

/// Returns the number after the first `Day`.
fn day(text: &Value) -> Option<f64> {
    let Value::Text(text) = text else { return None };
    let mut rest = text.as_str();
    loop {
        rest = rest.split_once("Day")?.1;
        let number = rest.trim_start();
        let digits = number.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        if number.len() < rest.len() && !digits.is_empty() {
            return digits.parse().ok();
        }
    }
}

/// Returns the amount after the first `Cash: $`, rounded.
fn cash(text: &Value) -> Option<f64> {
    let Value::Text(text) = text else { return None };
    let (_, rest) = text.split_once("Cash:")?;
    let rest = rest.trim_start().strip_prefix('$')?;
    let end =
        rest.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.').unwrap_or(rest.len());
    let amount = rest.get(..end)?.replace(',', "");
    amount.trim_end_matches('.').parse::<f64>().ok().map(f64::round_ties_even)
}

fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(_) | Value::Integer(_) | Value::Real(_) => Some(truth(value)),
        Value::Text(_) => match text(value).to_lowercase().as_str() {
            "1" | "true" | "yes" | "y" => Some(true),
            "0" | "false" | "no" | "n" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

impl WarehouseDialogue {
    /// Converts the runs to rollouts with the resources of [`Kind::Warehouse`], the texts of the turns, the feature
    /// `cash_usd`, a key `target_cash_usd` whose values the caller can set, and the identifiers `rollout-0`,
    /// `rollout-1`, … by position in the file.
    ///
    /// As in the released code, a turn without a stated cumulative use is taken to have used only time, and the next turn with
    /// these amounts used the rest. The feature is missing after such a turn; this marks a prefix without a question.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetEstimation`] as from [`Rollouts::push`].
    pub fn rollouts(dialogues: &[Self]) -> Result<Rollouts, Error> {
        let rollouts = Rollouts::new(Kind::Warehouse.resources().iter().copied())?;
        let rollouts = rollouts.with_features(["cash_usd"])?;
        let mut rollouts = rollouts.with_keys(["target_cash_usd"])?;
        for dialogue in dialogues {
            let (mut costs, mut before) = (Vec::new(), [0.0; 3]);
            let weeks = dialogue.weeks.iter().copied().chain([dialogue.total[0]]);
            let used = dialogue.used.iter().copied().chain([Some(dialogue.total)]);
            for (weeks, used) in weeks.zip(used) {
                let used = used.unwrap_or([weeks, before[1], before[2]]);
                costs.extend((0..3).map(|i| (used[i] - before[i]).max(0.0)));
                before = used;
            }
            let index = rollouts.push(&costs, dialogue.success)?;
            rollouts.set_id(index, format!("rollout-{}", dialogue.rollout))?;
            for ((turn, cash), used) in (1..).zip(&dialogue.cash).zip(&dialogue.used) {
                if let (Some(cash), Some(_)) = (*cash, used) {
                    rollouts.set_feature(index, turn, "cash_usd", cash)?;
                }
            }
            set_texts(&mut rollouts, index, &dialogue.texts)?;
        }
        Ok(rollouts)
    }
}

/// Returns the rollouts of a file: a list of them, or a single one.
pub(super) fn rollouts(source: impl Read) -> Result<Vec<Value>, Error> {
    let mut json = Json::new(source, ReadLimits::default());
    let rollouts = match json.token()? {
        b'[' => json.list_of(Json::value)?,
        b'{' => vec![json.value()?],
        _ => {
            return Err(json.type_error("a list of rollouts"));
        }
    };
    json.end()?;
    Ok(rollouts)
}

/// Returns a field; null if it is missing.
pub(super) fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    match value {
        Value::Map(fields) => fields.get(key).unwrap_or(&Value::Null),
        _ => &Value::Null,
    }
}

/// `bool(value)`
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Integer(number) => *number != 0,
        Value::Real(number) => *number != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(fields) => !fields.is_empty(),
    }
}

/// The largest count; sums of such counts cannot overflow.
const MOST: i64 = 1_000_000_000_000_000;

/// `int(value)`, or `None` if that fails or is no plausible count.
pub(super) fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Integer(number) => i64::try_from(*number).ok(),
        Value::Real(number) => number.is_finite().then_some(number.trunc() as i64),
        Value::Text(text) => strip(text).parse().ok(),
        Value::Bool(value) => Some(i64::from(*value)),
        _ => None,
    };
    number.filter(|number| (-MOST..=MOST).contains(number))
}

/// `float(value)`, or `None` if that fails.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Text(text) => strip(text).parse().ok(),
        Value::Bool(value) => Some(f64::from(*value)),
        number => number_of(number),
    }
}

/// `str(value or "")` without white space around it.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => strip(text).to_owned(),
        value if truth(value) => to_json(value),
        _ => String::new(),
    }
}

/// Returns the list in a field; empty for any other value.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    match field(value, key) {
        Value::List(items) => items,
        _ => &[],
    }
}

/// Returns the text of the assistant in a turn.
pub(super) fn assistant_text(turn: &Value) -> String {
    let texts = ["parsed_response", "raw_response", "raw_generation"];
    let mut texts = texts.iter().map(|key| text(field(turn, key)));
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// Returns the turns of a rollout in order.
pub(super) fn sorted_turns(rollout: &Value) -> Vec<&Value> {
    let mut turns: Vec<&Value> = list(rollout, "turns").iter().collect();
    turns.sort_by_key(|turn| whole(field(turn, "turn_idx")).unwrap_or(0));
    turns
}
