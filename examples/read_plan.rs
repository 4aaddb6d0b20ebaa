//! A plan as a model wrote it, with a trailing comma and other slips: read with a list of the repairs,
//! executed under its budget, and scored against the best plan and a random one.
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::error::Error;

use knapsack_oracle::{Alpha, Efficiency, Item, PlanReading, Pool, PoolValues, Regime};

const ANSWER: &str = r#"I would start with the small ones:
{"plan": [
    {"id": "typo", "allocation": 150},
    {"id": " docs ", "allocation": "350 tokens"},
    {"task_id": "parser", "allocation": 400},
    {"id": "race", "allocation": "about 30 %"},
]}"#;

fn main() -> Result<(), Box<dyn Error>> {
    // Value, cost of an attempt, and whether it was solved, from a run of each task by itself.
    let pool = Pool::new(vec![
        Item::new("parser", 1.0, 500, true)?,
        Item::new("docs", 1.0, 300, true)?,
        Item::new("race", 1.0, 900, false)?,
        Item::new("typo", 1.0, 100, true)?,
    ])?;
    let budget = pool.budget(Alpha::new(0.5)?);

    let reading = PlanReading::new(ANSWER, &pool, budget);
    for repair in reading.repairs() {
        println!("repaired: {repair:?}");
    }
    let Some(plan) = reading.plan() else {
        println!("no plan: {reading:?}");
        return Ok(());
    };
    let (oracle, random) = (pool.oracle(budget)?, pool.random_exact(budget)?);
    for regime in [Regime::Advisory, Regime::Enforced] {
        let run = plan.execute(&pool, budget, regime)?;
        let efficiency = Efficiency::new(PoolValues {
            achieved: run.earned,
            random: random.value,
            oracle: oracle.value,
        })?;
        println!(
            "{regime:?}: earned {} of {} for {} of {budget} tokens, efficiency {:.3}",
            run.earned,
            oracle.value,
            run.spent,
            efficiency.score()
        );
    }
    Ok(())
}
