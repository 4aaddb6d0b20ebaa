//! Amounts that are held for calls by the costs of past ones: what they are by definition, and how many calls and overspent
//! budgets come out.

use budget_estimation::{Budget, CallCosts};
use proptest::prelude::*;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::{Distribution, Exp, LogNormal, StandardUniform, Uniform};

use crate::common::level;

/// The smallest past cost below the largest one that meets both conditions together with all past costs above it.
fn by_definition(past: &[f64], chance: f64, largest: f64) -> f64 {
    let n = past.len() as f64;
    let z = 1.959_963_984_540_054;
    let meets = |q: f64| {
        let above = past.iter().filter(|&&cost| cost > q).count() as f64;
        let few = above + 1.0 <= chance * (n + 1.0) - z * (n * chance * (1.0 - chance)).sqrt();
        let risks: Vec<f64> =
            past.iter().map(|&cost| (cost - q).max(0.0) - chance * cost).collect();
        let sum: f64 = risks.iter().sum();
        let squares: f64 = risks.iter().map(|risk| (risk - sum / n).powi(2)).sum();
        let next = (largest - q).max(0.0) - chance * largest;
        few && sum + next.max(0.0) + z * squares.sqrt() <= 1e-9
    };
    let mut falling: Vec<f64> = past.iter().copied().filter(|&cost| cost < largest).collect();
    falling.sort_by(|a, b| b.total_cmp(a));
    falling.into_iter().take_while(|&q| meets(q)).last().unwrap_or(largest)
}

fn learnt(chance: f64, window: usize, past: &[f64]) -> CallCosts {
    let mut costs = CallCosts::new(level(chance), window).unwrap();
    past.iter().for_each(|&cost| costs.learn(cost).unwrap());
    costs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn an_amount_is_the_one_of_its_definition(
        past in prop::collection::vec(0_u32..500, 1..400),
        window in 1_usize..400,
        chance in 0.01_f64..0.5,
        largest in 400_u32..2000,
    ) {
        let past: Vec<f64> = past.into_iter().map(f64::from).collect();
        let costs = learnt(chance, window, &past);
        let kept = &past[past.len().saturating_sub(window)..];
        let expected = by_definition(kept, chance, f64::from(largest));
        prop_assert_eq!(costs.amount(f64::from(largest)).unwrap(), expected);
        let mean = kept.iter().sum::<f64>() / kept.len() as f64;
        prop_assert!((costs.mean().unwrap() - mean).abs() < 1e-9);
        // Stored and read back, it is the same.
        let text = serde_json::to_string(&costs).unwrap();
        prop_assert_eq!(serde_json::from_str::<CallCosts>(&text).unwrap(), costs);
    }
}

#[test]
fn without_enough_calls_the_largest_cost_is_held_and_invalid_costs_are_refused() {
    let costs = learnt(0.01, 1000, &[1.0; 300]);
    assert_eq!(costs.amount(5.0), Ok(5.0));
    assert_eq!(learnt(0.01, 1000, &[1.0; 1000]).amount(5.0), Ok(1.0));
    assert_eq!(CallCosts::new(level(0.01), 10).unwrap().mean(), None);
    for window in [0, 1_000_001] {
        assert!(CallCosts::new(level(0.01), window).is_err());
    }
    for cost in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(costs.clone().learn(cost).is_err() && costs.amount(cost).is_err());
    }
    let text = serde_json::to_string(&costs).unwrap();
    assert!(serde_json::from_str::<CallCosts>(&text.replace("1000", "299")).is_err());
}

/// Spends a budget by up to `agents` calls at a time, each of which holds the amount. Returns the number of calls, and whether
/// more than the budget was spent.
fn run(cap: f64, amount: f64, agents: usize, mut next: impl FnMut() -> f64) -> (usize, bool) {
    let budget = Budget::new([("tokens", Some(cap))]).unwrap();
    let (mut calls, mut under_way) = (0, std::collections::VecDeque::new());
    loop {
        while under_way.len() < agents
            && let Ok(call) = budget.reserve(&[("tokens", amount)])
        {
            under_way.push_back(call);
        }
        let Some(call) = under_way.pop_front() else { break };
        call.settle(&[("tokens", next())]).unwrap();
        calls += 1;
    }
    (calls, budget.resources().map(|it| it.left).next().flatten().unwrap() < 0.0)
}

/// The results of sets: by the amounts of [`CallCosts`], by the largest cost, by the mean and by twice the mean.
#[derive(Debug)]
struct Row {
    /// Calls of a budget in all sets.
    calls: [f64; 4],
    /// Overspent budgets.
    overspent: [f64; 4],
    /// Sets in which at most the allowed share was overspent by the amounts of `CallCosts`.
    within: usize,
}

/// Which calls are drawn: those that are learnt, or those of the budgets.
#[derive(Clone, Copy, PartialEq)]
enum Calls {
    Past,
    Next,
}

/// 100 sets: in each, costs are learnt, and then many budgets are spent.
fn simulate(
    (past, budgets, agents): (usize, usize, usize),
    (cap_in_means, largest): (f64, f64),
    mut draw: impl FnMut(Calls) -> f64,
) -> Row {
    let chance = 0.01;
    let mut row = Row { calls: [0.0; 4], overspent: [0.0; 4], within: 0 };
    for _ in 0..100 {
        let before: Vec<f64> = (0..past).map(|_| draw(Calls::Past)).collect();
        let costs = learnt(chance, past, &before);
        let mean = costs.mean().unwrap();
        let amounts = [costs.amount(largest).unwrap(), largest, mean, 2.0 * mean];
        for (at, amount) in amounts.into_iter().enumerate() {
            let mut overspent = 0;
            for budget in 0..budgets {
                // Caps of different sizes, so that no remainder is special.
                let cap = mean.round() * cap_in_means + (budget as f64 * 37.0) % mean.ceil();
                let (calls, over) = run(cap.round(), amount, agents, || draw(Calls::Next));
                row.calls[at] += calls as f64 / (100 * budgets) as f64;
                overspent += usize::from(over);
            }
            row.overspent[at] += overspent as f64 / (100 * budgets) as f64;
            // A share of the budgets varies by chance: two standard deviations of a share of one in a hundred.
            let allowed = chance + 2.0 * (chance * (1.0 - chance) / budgets as f64).sqrt();
            row.within += usize::from(at == 0 && overspent as f64 / budgets as f64 <= allowed);
        }
    }
    row
}

fn print(name: &str, agents: usize, row: &Row) {
    let shown = |at: usize| format!("{:8.1} {:6.2} %", row.calls[at], 100.0 * row.overspent[at]);
    println!(
        "{name:<28}{agents:>3} agents {} largest {} mean {} twice {}  {} of 100 sets",
        shown(0),
        shown(1),
        shown(2),
        shown(3),
        row.within
    );
}

#[test]
fn at_one_percent_allowed_at_most_one_budget_in_a_hundred_is_overspent() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_260_601);
    let exponential = Exp::new(1.0 / 300.0_f64).unwrap();
    let draw = |_| exponential.sample(&mut rng).min(4096.0).round();
    let row = simulate((2000, 100, 1), (30.0, 4096.0), draw);
    print("exponential", 1, &row);
    assert!(row.overspent[0] <= 0.01 && row.within >= 95, "{:?}", row.overspent);
    assert!(row.overspent[1] == 0.0 && row.overspent[2] > 0.1);
    assert!(row.calls[0] > row.calls[1] + 5.0, "{:?}", row.calls);
}

#[test]
#[ignore = "minutes: several distributions, sizes of budgets and numbers of agents"]
fn at_one_percent_allowed_budgets_are_overspent_at_most_so_often_in_many_settings() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_260_602);
    let mut worst = 100;
    for cap in [20.0, 100.0] {
        for agents in [1, 4, 16] {
            for kind in ["exponential", "lognormal, 1", "lognormal, 1.5", "uniform", "rare"] {
                let exponential = Exp::new(1.0 / 300.0_f64).unwrap();
                let (one, more) =
                    (LogNormal::new(5.2, 1.0).unwrap(), LogNormal::new(4.8, 1.5).unwrap());
                let uniform = Uniform::new(270.0, 330.0).unwrap();
                let unit = Uniform::new(0.0, 1.0).unwrap();
                let draw = |_| {
                    let cost: f64 = match kind {
                        "exponential" => exponential.sample(&mut rng),
                        "lognormal, 1" => one.sample(&mut rng),
                        "lognormal, 1.5" => more.sample(&mut rng),
                        "uniform" => uniform.sample(&mut rng),
                        _ if unit.sample(&mut rng) < 0.005 => 4000.0,
                        _ => 200.0,
                    };
                    cost.min(8192.0).round()
                };
                let row = simulate((5000, 500, agents), (cap, 8192.0), draw);
                print(&format!("{kind}, {cap} means"), agents, &row);
                worst = worst.min(row.within);
                assert!(row.overspent[0] <= 0.01, "{:?}", row.overspent);
            }
        }
    }
    assert!(worst >= 95, "{worst}");
}

/// The output tokens of the turns of recorded runs of a model, run by run; `None` with a printed reason if `REAL_RUNS` is not set.
fn recorded(file: &str, model: &str) -> Option<Vec<Vec<f64>>> {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of recorded runs");
        return None;
    };
    let path = std::path::Path::new(&folder).join("data/rollouts").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let runs = text.lines().filter_map(|line| {
        let run: serde_json::Value = serde_json::from_str(line).unwrap();
        let turns = run["turns"].as_array()?;
        let costs = turns.iter().filter_map(|turn| turn["output_tokens"].as_f64());
        run["model"].as_str()?.contains(model).then(|| costs.collect())
    });
    Some(runs.collect())
}

#[test]
fn budgets_of_recorded_calls_are_overspent_at_most_once_in_a_hundred() {
    // The largest reply that the models could give, or were allowed to.
    for (file, model, largest, cap, budgets) in [
        ("tau2.jsonl", "gpt-4.1", 1024.0, 60.0, 50),
        ("tau2.jsonl", "", 2048.0, 60.0, 50),
        ("swebench_gemini3pro.jsonl", "gemini", 65_536.0, 1000.0, 5),
    ] {
        let Some(mut runs) = recorded(file, model) else { return };
        let mut rng = ChaCha8Rng::seed_from_u64(20_260_603);
        let past = runs.iter().map(Vec::len).sum::<usize>() * 2 / 3;
        for agents in [1, 8] {
            // In each set, whole runs in random order: the first ones are learnt, and budgets are spent by the others, again
            // and again. Calls of one run follow each other.
            let (mut learnt, mut next, mut at) = (Vec::new(), Vec::new(), [0, 0]);
            let draw = |calls| {
                if calls == Calls::Past && at[0] == learnt.len() {
                    runs.sort_by_cached_key(|_| -> u64 { StandardUniform.sample(&mut rng) });
                    let mut known = 0;
                    let first = runs.iter().take_while(|run| {
                        known += run.len();
                        known <= past + run.len()
                    });
                    let first = first.count();
                    (learnt, next, at) = (runs[..first].concat(), runs[first..].concat(), [0, 0]);
                    learnt.truncate(past);
                }
                let (from, position) = match calls {
                    Calls::Past => (&learnt, &mut at[0]),
                    Calls::Next => (&next, &mut at[1]),
                };
                let cost = from[*position % from.len()];
                *position += 1;
                cost
            };
            let row = simulate((past, budgets, agents), (cap, largest), draw);
            print(&format!("{file}, {model}, {past} calls"), agents, &row);
            // Of nine models together, calls of one run are alike, so that the assumption does not hold.
            let one_kind = !model.is_empty();
            assert!(!one_kind || row.overspent[0] <= 0.01 && row.within >= 95, "{row:?}");
            assert!(row.calls[0] > row.calls[1] && row.overspent[0] < row.overspent[3]);
        }
    }
}
