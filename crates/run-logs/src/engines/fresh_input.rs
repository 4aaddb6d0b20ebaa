/// Returns for each request the `input` tokens that repeat neither earlier input nor earlier `visible_output`.
///
/// `input` has the tokens of whole requests in their order, `visible_output` the tokens of the replies without reasoning; `None`
/// is unknown. If at least half of the requests have an input of at least the previous input and the previous visible output
/// together, the new input is the difference to this sum, and at least 0; otherwise requests do not repeat the history, and all
/// input is new. Time: linear in the number of requests.
///
/// Reference: `ragen/env/token_estimation/env.py`, `_flatten_rollouts` with
/// `turn_usage_mode="turn_excluding_history"`.
///
/// ```
/// use run_logs::fresh_input_tokens;
///
/// let input = [Some(300), Some(400), Some(500)];
/// let visible_output = [Some(50), Some(100), Some(100)];
/// assert_eq!(fresh_input_tokens(&input, &visible_output), [Some(300), Some(50), Some(0)]);
/// ```
#[must_use]
pub fn fresh_input_tokens(
    input: &[Option<i64>],
    visible_output: &[Option<i64>],
) -> Vec<Option<i64>> {
    fresh(input, visible_output).0
}

/// Returns the new input of each request, and whether requests repeat the history.
pub(crate) fn fresh(input: &[Option<i64>], visible: &[Option<i64>]) -> (Vec<Option<i64>>, bool) {
    // For each request, the last known input before it and the visible output after that input.
    let mut before: Vec<Option<i64>> = Vec::with_capacity(input.len());
    let mut last = None;
    for (i, input) in input.iter().enumerate() {
        let output = i.checked_sub(1).and_then(|i| visible.get(i).copied().flatten());
        before.push(last.map(|input: i64| input.saturating_add(output.unwrap_or(0))));
        last = input.or(last);
    }
    let pairs = || input.iter().zip(&before);
    let votes = pairs().filter_map(|(input, before)| Some((*input)? >= (*before)?));
    let votes: Vec<bool> = votes.collect();
    let yes = votes.iter().filter(|&&vote| vote).count();
    let repeats = !votes.is_empty() && yes * 2 >= votes.len();
    let new = |(input, before): (&Option<i64>, &Option<i64>)| match (*input, *before) {
        (Some(input), Some(before)) if repeats => Some(input.saturating_sub(before).max(0)),
        (input, _) => input,
    };
    (pairs().map(new).collect(), repeats)
}
