use crate::{
    engines::json::reader::{Json, fields, named_fields},
    error::Error,
    values::run::{Usage, UsageRemark},
};

/// The rule by which the writer of an object of counts splits them if no total decides. Cached tokens are part of the input and
/// reasoning is part of the output, unless the dialect says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Chat completions, the Responses form, Ollama and tau2. A part that exceeds its whole is counted separately from it.
    OpenAi,
    /// ATIF, which defines its counts.
    Atif,
    /// Anthropic's Messages API and inspect_ai: cached tokens are counted separately from the input.
    CacheBeside,
    /// Gemini: thoughts are counted separately from the output.
    Gemini,
    /// opencode: cached tokens and reasoning are both counted separately.
    AllBeside,
}

/// The counts of one object such as `usage`, under the names of any dialect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    input: Count,
    output: Count,
    total: Count,
    cached: Count,
    written: Count,
    /// The part of the input that was not found in a cache.
    missed: Option<u64>,
    reasoning: Count,
    /// Results of tools, which Gemini counts separately from the prompt.
    tool_results: Option<u64>,
    cost_usd: Option<f64>,
    /// The charge of a provider behind a gateway to the user's own key.
    upstream_usd: Option<f64>,
    has_own_key: Option<bool>,
    /// The calls that Anthropic made for one reply, and whether each is included in the other counts.
    iterations: Vec<(bool, Counts)>,
}

/// A count that may have several names. Zero never replaces another count.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    value: Option<u64>,
    /// A second value of the count, which is smaller, and not 0.
    other: Option<u64>,
}

impl Count {
    fn add(&mut self, found: Option<u64>) {
        let Some(found) = found else { return };
        match self.value {
            Some(known) if known > 0 && found > 0 && known != found => {
                self.value = Some(known.max(found));
                self.other = self.other.max(Some(known.min(found)));
            }
            known => self.value = known.max(Some(found)),
        }
    }

    fn values(self) -> impl Iterator<Item = u64> {
        self.value.into_iter().chain(self.other)
    }
}

impl Counts {
    /// Collects separate counts: input, output, total, cached input, input written to a cache, and reasoning.
    pub(crate) fn of(counts: [Option<u64>; 6], cost_usd: Option<f64>) -> Self {
        let [input, output, total, cached, written, reasoning] =
            counts.map(|value| Count { value, other: None });
        Self { input, output, total, cached, written, reasoning, cost_usd, ..Self::default() }
    }

    /// Reads an object of counts.
    pub(crate) fn read(json: &mut Json<'_>) -> Result<Self, Error> {
        let mut counts = Self::default();
        fields!(|json, field| { in Self::FIELDS => counts.field(json, field)?, })?;
        Ok(counts)
    }

    named_fields! {
        /// Reads one count, under the name that any dialect has for it.
        pub(crate) const FIELDS, fn field(&mut self, json: &mut Json<'_>, field: &str), |json, field| {
            "prompt_tokens" | "input_tokens" | "promptTokenCount" | "prompt_eval_count"
            | "total_prompt_tokens" | "n_input_tokens" => self.input.add(json.optional(Json::count)?),
            "completion_tokens" | "output_tokens" | "candidatesTokenCount" | "eval_count"
            | "total_completion_tokens" | "n_output_tokens" => {
                self.output.add(json.optional(Json::count)?);
            },
            "total_tokens" | "totalTokenCount" => self.total.add(json.optional(Json::count)?),
            "cached_tokens" | "cache_read_input_tokens" | "input_tokens_cache_read"
            | "cachedContentTokenCount" | "prompt_cache_hit_tokens" | "total_cached_tokens"
            | "n_cache_tokens" => self.cached.add(json.optional(Json::count)?),
            "cache_write_tokens" | "cache_creation_input_tokens" | "cache_creation_tokens"
            | "input_tokens_cache_write" => self.written.add(json.optional(Json::count)?),
            "prompt_cache_miss_tokens" => self.missed = json.optional(Json::count)?,
            "reasoning_tokens" | "thinking_tokens" | "thoughtsTokenCount" => {
                self.reasoning.add(json.optional(Json::count)?);
            },
            "toolUsePromptTokenCount" => self.tool_results = json.optional(Json::count)?,
            "prompt_tokens_details" | "input_tokens_details" | "completion_tokens_details"
            | "output_tokens_details" => {
                json.optional(|json| fields!(|json, field| {
                    in Self::FIELDS => self.field(json, field)?,
                }))?;
            },
            "iterations" if json.token()? == b'[' => self.iterations = json.list_of(iteration)?,
            "cost" | "total_cost" | "cost_usd" | "total_cost_usd" => {
                self.cost_usd = self.cost_usd.into_iter().chain(json.optional(Json::amount)?).reduce(f64::max);
            },
            "cost_details" if json.token()? == b'{' => fields!(|json| {
                "upstream_inference_cost" => self.upstream_usd = json.optional(Json::amount)?,
            })?,
            "is_byok" => self.has_own_key = json.optional(Json::boolean)?,
        }
    }

    /// Returns the usage: whole input, whole output and their parts, derived from the total if there is one.
    pub(crate) fn usage(&self, dialect: Dialect) -> Usage {
        let own = self.of_one_call(dialect);
        let sum_of = |is_part: bool| {
            let calls = self.iterations.iter().filter(|(part, _)| *part == is_part);
            let usages = calls.map(|(_, counts)| counts.of_one_call(dialect));
            usages.fold(Usage::default(), |sum, usage| sum.and(&usage))
        };
        let cost_usd = own.cost_usd;
        let own = own.with_counts_of(&sum_of(true), Option::max, cost_usd);
        Usage { cost_usd, ..own.and(&sum_of(false)) }
    }

    fn of_one_call(&self, dialect: Dialect) -> Usage {
        let cost_usd = self.cost_usd();
        let [cached, written, reasoning] = [self.cached, self.written, self.reasoning];
        let is_unique =
            [cached, written, reasoning, self.total].iter().all(|it| it.other.is_none());
        let split = if is_unique { self.split(dialect) } else { Err(()) };
        let Ok((input_tokens, output_tokens, total, remark)) = split else {
            return Usage {
                cost_usd,
                remark: Some(UsageRemark::Contradictory),
                ..Usage::default()
            };
        };
        Usage {
            input_tokens,
            cached_tokens: cached.value,
            cache_write_tokens: written.value,
            output_tokens,
            reasoning_tokens: reasoning.value,
            cost_usd,
            total,
            remark,
        }
    }

    /// The fee of a gateway and, if the user's own key pays, the cost of the provider behind it.
    fn cost_usd(&self) -> Option<f64> {
        let (fee, upstream) = (self.cost_usd, self.upstream_usd.filter(|cost| *cost > 0.0));
        let Some(upstream) = upstream else { return fee };
        // The price of a gateway is at least the provider's price; a fee without it is less.
        let fee = fee.unwrap_or(0.0);
        let pays_both = self.has_own_key.unwrap_or(fee < upstream);
        Some(if pays_both { fee + upstream } else { fee.max(upstream * f64::from(fee == 0.0)) })
    }

    /// Returns the whole input, the whole output, the total if it differs from their sum, and a remark. Counts that contradict
    /// each other are an error.
    fn split(&self, dialect: Dialect) -> Result<Split, ()> {
        let known = |count: Count| count.value.unwrap_or(0);
        let cache = known(self.cached).checked_add(known(self.written)).ok_or(())?;
        let (thoughts, results) = (known(self.reasoning), self.tool_results.unwrap_or(0));
        let mut input = self.input;
        input.add(self.missed.map(|missed| missed.saturating_add(known(self.cached))));
        let is_all = dialect == Dialect::AllBeside;
        let is_beside =
            [is_all || dialect == Dialect::CacheBeside, is_all || dialect == Dialect::Gemini];
        let fits = |input: u64| known(self.cached).max(known(self.written)) <= input;
        let total = self.total.value.filter(|total| *total > 0);
        if let Some(total) = total {
            // Whether the cache is outside the input, thoughts outside the output, and results of tools inside the input. The
            // usual combination of the dialect comes first.
            let ways = (0..8).map(|way| {
                [is_beside[0] ^ (way & 2 > 0), is_beside[1] ^ (way & 1 > 0), way & 4 > 0]
            });
            for [cache_beside, thoughts_beside, results_inside] in ways {
                let results = if results_inside { 0 } else { results };
                for (input, output) in pairs(input, self.output) {
                    if !cache_beside && !fits(input) {
                        continue;
                    }
                    let plus = |count: u64, part: u64, is_beside| {
                        count.checked_add(if is_beside { part } else { 0 })
                    };
                    let input =
                        plus(input, cache, cache_beside).and_then(|it| it.checked_add(results));
                    let output = plus(output, thoughts, thoughts_beside);
                    if input.zip(output).is_some_and(|(a, b)| a.checked_add(b) == Some(total)) {
                        return Ok((input, output, None, None));
                    }
                }
            }
        }
        let is_fixed = dialect == Dialect::Atif;
        let mut input = usual(input, cache, |it| is_beside[0] || !(is_fixed || fits(it)))?;
        let mut output =
            usual(self.output, thoughts, |it| is_beside[1] || !(is_fixed || thoughts <= it))?;
        if let Some(input) = &mut input {
            *input = input.checked_add(results).ok_or(())?;
        }
        let Some(total) = total else {
            // A provider that counts thoughts separately from the output omits an output of 0.
            let thoughts = self.reasoning.value.filter(|_| dialect == Dialect::Gemini);
            return Ok((input, output.or(thoughts), None, None));
        };
        // A total above zero: a count of 0 may mean that the count is unknown.
        let is_read =
            |count: Option<u64>| count.is_some_and(|count| count > 0 || dialect == Dialect::Gemini);
        match (input, output) {
            (Some(known), stated) if is_read(input) && !is_read(stated) && total >= known => {
                output = Some(total - known);
            }
            (stated, Some(known)) if is_read(output) && !is_read(stated) && total >= known => {
                input = Some(total - known);
            }
            (Some(a), Some(b)) if is_read(input) && is_read(output) => {
                let sum = a.checked_add(b).ok_or(())?;
                if total < sum {
                    // The total excludes a cache that cannot be part of the input.
                    let is_left_out = cache > 0 && total.checked_add(cache) == Some(sum);
                    return is_left_out.then_some((input, output, None, None)).ok_or(());
                }
                if thoughts > 0 {
                    return Err(());
                }
                let remark = Some(UsageRemark::LargerTotal);
                // Thoughts without a count, which Gemini has but ATIF has no field for.
                return Ok(match dialect {
                    Dialect::Gemini | Dialect::Atif => (input, output, Some(total), remark),
                    _ => (input, Some(total - a), None, remark),
                });
            }
            _ if is_read(input) || is_read(output) => return Err(()),
            _ => return Ok((None, None, Some(total), None)),
        }
        let thoughts_fit = output.is_some_and(|output| output >= thoughts);
        if thoughts_fit { Ok((input, output, None, None)) } else { Err(()) }
    }
}

/// Input, output, a total that differs from their sum, and a remark about them.
type Split = (Option<u64>, Option<u64>, Option<u64>, Option<UsageRemark>);

/// Returns all pairs of an input and an output.
fn pairs(input: Count, output: Count) -> impl Iterator<Item = (u64, u64)> {
    input.values().flat_map(move |input| output.values().map(move |output| (input, output)))
}

/// Returns a count including its part, by the usual rule of the dialect.
fn usual(count: Count, part: u64, is_beside: impl Fn(u64) -> bool) -> Result<Option<u64>, ()> {
    let Some(value) = count.value else { return Ok(None) };
    match count.other {
        // One name includes the part, the other excludes it.
        Some(other) if other.checked_add(part) == Some(value) => Ok(Some(value)),
        Some(_) => Err(()),
        None if is_beside(value) => value.checked_add(part).map(Some).ok_or(()),
        None => Ok(Some(value)),
    }
}

/// Reads one call that Anthropic made for a reply, and whether the other counts include it.
fn iteration(json: &mut Json<'_>) -> Result<(bool, Counts), Error> {
    json.hold(size_of::<Counts>())?;
    let (mut counts, mut kind) = (Counts::default(), None);
    fields!(|json, field| {
        "type" => kind = json.optional(Json::text)?,
        in Counts::FIELDS => counts.field(json, field)?,
    })?;
    Ok((kind.is_none_or(|kind| kind == "message"), counts))
}
