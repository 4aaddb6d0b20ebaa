//! Hard 0-1 knapsacks: seconds per instance, each solved again until 0.3 seconds are spent; the
//! least counts.
//!
//! `KNAPSACK_HARD=DIR cargo bench --bench knapsack_hard [-- PART_OF_NAME]` reads every
//! `DIR/NAME.json`, one `{"capacity", "profits", "weights"}` each. With `KNAPSACK_OPTIMA=FILE`,
//! `{"rows": [{"file", "optimum", "minknap_s"}]}`, values are checked and times compared.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use benches::processor_seconds;
use knapsack_oracle::{Knapsack, KnapsackItem};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
}

fn main() {
    let Ok(folder) = std::env::var("KNAPSACK_HARD") else {
        println!("skipped: set KNAPSACK_HARD to a folder of instances");
        return;
    };
    let part = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).unwrap_or_default();
    let mut known = BTreeMap::new();
    if let Ok(file) = std::env::var("KNAPSACK_OPTIMA") {
        let json: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        for row in json["rows"].as_array().unwrap() {
            let file = row["file"].as_str().unwrap().to_owned();
            known.insert(
                file,
                (row["optimum"].as_u64().unwrap(), row["minknap_s"].as_f64().unwrap()),
            );
        }
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.clone())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json") && name.contains(&part))
        .collect();
    names.sort_unstable();
    // Per class: number compared, sum of the logarithms of ratios, largest ratio above 10 ms, seconds.
    let mut classes: BTreeMap<String, (u32, f64, f64, f64)> = BTreeMap::new();
    let mut wrong = 0;
    for name in &names {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        let (profits, weights) = (numbers(&json["profits"]), numbers(&json["weights"]));
        let pairs = profits.iter().zip(&weights);
        let items: Vec<KnapsackItem> =
            pairs.map(|(&profit, &weight)| KnapsackItem { profit, weight }).collect();
        let instance = Knapsack::new(json["capacity"].as_u64().unwrap(), &items).unwrap();
        let mut least = f64::INFINITY;
        let begin = Instant::now();
        let mut solution = None;
        for _ in 0..200 {
            let (start, processor) = (Instant::now(), processor_seconds());
            solution = Some(std::hint::black_box(instance).solve());
            let mut seconds = start.elapsed().as_secs_f64();
            // Long runs are interrupted by others; short ones are told apart by the clock alone.
            if let (true, Some(from), Some(to)) = (seconds > 0.05, processor, processor_seconds()) {
                seconds = to - from;
            }
            least = least.min(seconds);
            if begin.elapsed() > Duration::from_millis(300) {
                break;
            }
        }
        let solution = solution.unwrap();
        let class = name.split("_n").next().unwrap().to_owned();
        let entry = classes.entry(class).or_default();
        entry.3 += least;
        let mut note = String::new();
        if let Some(&(optimum, seconds)) = known.get(name) {
            let ratio = least / seconds;
            entry.0 += 1;
            entry.1 += ratio.ln();
            if seconds > 0.01 {
                entry.2 = entry.2.max(ratio);
            }
            note = format!("{seconds:12.7} {ratio:9.4}");
            if solution.value != optimum {
                wrong += 1;
                note += " WRONG";
            }
        }
        println!(
            "{name:40} {:12} {least:12.7} {:10} {:?} {note}",
            solution.value, solution.states, solution.proof
        );
    }
    println!(
        "class, compared, geometric mean of ratios, largest ratio above 10 ms, seconds in all"
    );
    let (mut n, mut logs) = (0, 0.0);
    for (class, (count, sum, largest, seconds)) in classes {
        println!(
            "{class:14} {count:4} {:9.4} {largest:9.4} {seconds:10.4}",
            (sum / f64::from(count)).exp()
        );
        n += count;
        logs += sum;
    }
    println!("all {n}: {:.4}; {wrong} wrong", (logs / f64::from(n)).exp());
}
