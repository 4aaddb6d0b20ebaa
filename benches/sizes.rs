//! Large inputs: what each takes in time and memory, beside a tenth of it.
//!
//! `cargo bench --bench sizes`, or `cargo bench --bench sizes -- WORD` for the work whose name has that word.
//! Each piece of work runs in a process of its own, so that no memory of another is used again. Inputs are
//! not counted. Seconds are those on a processor where the system tells, for work of a tenth of a second or
//! more. Memory is the peak of what is resident, where the system tells; more than twelve times that
//! of a tenth, beyond a few megabytes, ends the program with an error.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

#[allow(dead_code, reason = "each benchmark uses a part of it")]
mod typed_graphs;

use std::{env, fs, hint::black_box, process::Command, time::Instant};

use benches::{processor_seconds, random_rows, random_traces};
use budget_estimation::{
    AdaptiveConformal, BudgetEstimator, Calibrated, Estimator, Level, LinearEstimator, Metrics,
    PastQuantiles, ProgressMetrics, Resource, Rollouts, Seed, Weight, estimator_from_fn,
};
use censoring::{IpcwWeights, KaplanMeier, StopReason, StopTimes, Stopped, TerminationAudit};
use knapsack_oracle::{FitRule, Item, Knapsack, KnapsackItem, Plan, Pool, Regime, kendall_tau_b};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use scoring_rules::{Corp, MurphyCurve, mean_score, score_slice};
use trajectory_metrics::{
    Bootstrap, Calibrator, Isotonic, LogScore, OnlineTps, Platt, Probability, TiedBlocks, Tps,
    Trace, WeightSchedule, auroc, tool_calls::interned_edit_distance,
};
use typed_graphs::LARGE;

/// Makes an input of the given size, and what is to be done with it.
type Make = fn(usize) -> Box<dyn FnOnce()>;

const WORK: [(&str, usize, Make); 31] = [
    ("mean_score, log, rows", 10_000_000, |n| {
        with_rows(n, |p, y| {
            black_box(mean_score(&LogScore::exact(), p, y, None).unwrap());
        })
    }),
    ("TiedBlocks and auroc, rows without ties", 10_000_000, |n| {
        with_rows(n, |p, y| {
            black_box(auroc(&TiedBlocks::new(p, y, None).unwrap()).unwrap());
        })
    }),
    ("score_slice, log, rows", 10_000_000, |n| {
        // Not of zeros, which take no memory before they are written.
        let mut scores = vec![1.0; n];
        let (values, outcomes) = random_rows(n, 7);
        Box::new(move || {
            let forecasts = Probability::from_slice(&values).unwrap();
            score_slice(&LogScore::exact(), forecasts, &outcomes, &mut scores).unwrap();
            black_box(scores);
        })
    }),
    ("TiedBlocks and corp, rows without ties", 10_000_000, |n| {
        with_rows(n, |p, y| {
            let blocks = TiedBlocks::new(p, y, None).unwrap();
            black_box(Corp::new(&LogScore::exact(), &blocks).unwrap());
        })
    }),
    ("TiedBlocks and MurphyCurve, rows without ties", 10_000_000, |n| {
        with_rows(n, |p, y| {
            black_box(MurphyCurve::new(&TiedBlocks::new(p, y, None).unwrap()).unwrap());
        })
    }),
    ("Platt and Isotonic, fitted to rows without ties", 10_000_000, |n| {
        with_rows(n, |p, y| {
            let weights = vec![1.0; p.len()];
            black_box(
                Platt::default().fit(p, y, Some(Weight::from_slice(&weights).unwrap())).unwrap(),
            );
            black_box(Isotonic.fit(p, y, Some(Weight::from_slice(&weights).unwrap())).unwrap());
        })
    }),
    ("Bootstrap::mean, 10 resamples, rows", 10_000_000, |n| {
        let values = random_rows(n, 7).0;
        Box::new(move || {
            black_box(Bootstrap::rows(n, Seed(1)).unwrap().mean(&values, None, 10).unwrap());
        })
    }),
    ("interned_edit_distance, calls of either path", 100_000, |n| {
        let path = |seed| -> Vec<u32> {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            (0..n).map(|_| rng.next_u32() % 1_000).collect()
        };
        let (actual, reference) = (path(1), path(2));
        Box::new(move || {
            black_box(interned_edit_distance(&actual, &reference));
        })
    }),
    ("Tps::score, steps of one trace", 1_000_000, |n| {
        with_rows(n, |p, _| {
            black_box(tps().score(Trace::new(p, true).unwrap()).unwrap());
        })
    }),
    ("OnlineTps, steps of one trace", 1_000_000, |n| {
        with_rows(n, |p, _| {
            let mut online = OnlineTps::new(tps());
            p.iter().for_each(|&p| online.push(p));
            black_box(online.finish(true).unwrap());
        })
    }),
    ("Tps::mean, steps of short traces", 1_000_000, |n| {
        let traces = random_traces(n, 7);
        Box::new(move || {
            black_box(tps().mean(&traces, None).unwrap());
        })
    }),
    ("TerminationAudit, runs", 1_000_000, audit),
    ("KaplanMeier and IpcwWeights, runs, all times differ", 1_000_000, weighting),
    ("tools drawn and ToolGraph::new, tools", 10_000, |n| {
        let kind = LARGE.of(n);
        Box::new(move || {
            black_box(kind.graph(4));
        })
    }),
    ("optimal_plan, tools", 10_000, |n| {
        let (graph, problem) = LARGE.of(n).graph(4);
        Box::new(move || {
            black_box(graph.optimal_plan(&problem).unwrap().unwrap());
        })
    }),
    ("count_shortest_plans, tools of one chain", 100_000, |n| {
        let (graph, problem) = typed_graphs::chain(n, 1);
        Box::new(move || {
            assert_eq!(black_box(graph.count_shortest_plans(&problem).unwrap()), 1);
        })
    }),
    ("best_plans, 10 plans, tools of one chain, two for each step", 100_000, |n| {
        let (graph, problem) = typed_graphs::chain(n / 2, 2);
        Box::new(move || {
            assert_eq!(black_box(graph.best_plans(&problem, 10).unwrap()).len(), 10);
        })
    }),
    ("Knapsack::solve, items, uncorrelated", 100_000, |n| knapsack(n, |_, other| other)),
    ("Knapsack::solve, items, strongly correlated", 100_000, |n| {
        knapsack(n, |weight, _| weight + 100)
    }),
    ("Pool::new, Plan::new and execute, items", 100_000, pool),
    ("Pool::oracle, items", 100_000, |n| {
        let items = items(n);
        Box::new(move || {
            let pool = Pool::new(items).unwrap();
            black_box(pool.oracle(pool.total_cost() / 2).unwrap());
        })
    }),
    ("Pool::random_sampled, 100 orders, items", 100_000, |n| {
        let items = items(n);
        Box::new(move || {
            let pool = Pool::new(items).unwrap();
            let budget = pool.total_cost() / 2;
            black_box(pool.random_sampled(budget, FitRule::StopAtFirst, 100, Seed(1)).unwrap());
        })
    }),
    ("kendall_tau_b, items", 100_000, |n| {
        let (a, b) = (random_rows(n, 1).0, random_rows(n, 2).0);
        Box::new(move || {
            black_box(kendall_tau_b(&a, &b).unwrap());
        })
    }),
    ("replay, LinearEstimator, turns of 1 run", 1_000_000, |n| {
        replay(1, n, LinearEstimator::new(1e6, 0.3).unwrap())
    }),
    ("replay, PastQuantiles, turns of 2 runs", 1_000_000, |n| {
        replay(2, n / 2, PastQuantiles::new(Level::new(0.8).unwrap()))
    }),
    ("replay, PastQuantiles, turns of runs of 1,000", 1_000_000, |n| {
        replay(n / 1_000, 1_000, PastQuantiles::new(Level::new(0.8).unwrap()))
    }),
    ("replay, PastQuantiles, turns of runs of 10", 10_000_000, |n| {
        replay(n / 10, 10, PastQuantiles::new(Level::new(0.8).unwrap()))
    }),
    ("replay, PastQuantiles::survival_aware, turns of runs of 10", 100_000, |n| {
        replay(n / 10, 10, PastQuantiles::survival_aware(Level::new(0.8).unwrap()))
    }),
    ("replay, Calibrated by AdaptiveConformal, turns of runs of 1,000", 1_000_000, |n| {
        let coverage = Level::new(0.8).unwrap();
        let adaptive = AdaptiveConformal::new(coverage, 0.002).unwrap();
        let linear = LinearEstimator::learning(1_000.0, 0.3).unwrap();
        replay(n / 1_000, 1_000, Calibrated::new(linear, adaptive))
    }),
    ("replay and learning, BudgetEstimator, turns of runs of 10", 10_000_000, |n| {
        replay(n / 10, 10, BudgetEstimator::default())
    }),
    ("estimates and scores, BudgetEstimator after 10,000 runs, turns", 1_000_000, learnt),
];

fn tps() -> Tps<LogScore> {
    Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront)
}

fn with_rows(n: usize, work: fn(&[Probability], &[bool])) -> Box<dyn FnOnce()> {
    let (values, outcomes) = random_rows(n, 7);
    Box::new(move || work(Probability::from_slice(&values).unwrap(), &outcomes))
}

/// Runs of one to ten steps, a third of them cut off.
fn audit(n: usize) -> Box<dyn FnOnce()> {
    let (values, outcomes) = random_rows(n + 10, 7);
    Box::new(move || {
        let forecasts = Probability::from_slice(&values).unwrap();
        let runs = forecasts.windows(10).zip(&outcomes).take(n).enumerate();
        let audit = runs.fold(TerminationAudit::default(), |mut audit, (i, (steps, &outcome))| {
            let (outcome, reason) = match i % 3 {
                0 => (None, StopReason::MaxSteps),
                _ => (Some(outcome), StopReason::Completed),
            };
            audit.update(
                &Stopped::new(&steps[..1 + i % 10], outcome, Some(reason)).unwrap(),
                Weight::ONE,
            );
            audit
        });
        black_box(audit.censoring_rate().unwrap());
    })
}

fn weighting(n: usize) -> Box<dyn FnOnce()> {
    let (times, cut_off) = random_rows(n, 7);
    let scores: Vec<_> = cut_off.iter().map(|&cut_off| (!cut_off).then_some(-0.25)).collect();
    Box::new(move || {
        let stops = StopTimes::new(&times, &cut_off, None).unwrap();
        let curve = KaplanMeier::censoring_curve(&stops);
        let weights = IpcwWeights::new(&stops, |_| &curve, 20.0).unwrap();
        black_box(weights.mean_score(&scores).unwrap());
    })
}

/// Weights from 1 to 1,000, profits from the weight and another number of that range, half fits.
fn knapsack(n: usize, profit: fn(u64, u64) -> u64) -> Box<dyn FnOnce()> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let weights: Vec<u64> = (0..n).map(|_| rng.random_range(1..=1_000)).collect();
    let item =
        |weight| KnapsackItem { profit: profit(weight, rng.random_range(1..=1_000)), weight };
    let items: Vec<KnapsackItem> = weights.into_iter().map(item).collect();
    Box::new(move || {
        let capacity = items.iter().map(|item| item.weight).sum::<u64>() / 2;
        let solution = Knapsack::new(capacity, &items).unwrap().solve();
        assert_eq!(solution.value, solution.upper_bound);
    })
}

fn items(n: usize) -> Vec<Item> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let item = |i| {
        let value = f64::from(rng.random_range(1..=1_000_u32)) / 100.0;
        Item::new(format!("task{i}"), value, rng.random_range(100..=10_000), i % 3 > 0).unwrap()
    };
    (0..n).map(item).collect()
}

fn pool(n: usize) -> Box<dyn FnOnce()> {
    let items = items(n);
    let steps: Vec<_> = items.iter().map(|item| (item.id().to_owned(), item.cost())).collect();
    Box::new(move || {
        let pool = Pool::new(items).unwrap();
        let budget = pool.total_cost();
        let plan = Plan::new(&steps, &pool, budget).unwrap();
        black_box(plan.execute(&pool, budget, Regime::Enforced).unwrap());
    })
}

/// Every prefix of successful runs, estimated and measured.
/// Runs of so many turns.
fn rollouts(runs: usize, turns: usize) -> (Rollouts, Resource) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    let mut costs = vec![0.0; turns];
    for _ in 0..runs {
        costs.fill_with(|| f64::from(rng.next_u32() % 1_000 + 1));
        rollouts.push(&costs, true).unwrap();
    }
    (rollouts, tokens)
}

/// Estimates and scores at every turn, and learning after every run.
fn replay(runs: usize, turns: usize, mut estimator: impl Estimator + 'static) -> Box<dyn FnOnce()> {
    let (rollouts, tokens) = rollouts(runs, turns);
    Box::new(move || {
        let mut evaluation = ProgressMetrics::new(10).unwrap();
        for rollout in rollouts.iter() {
            let each = |sample: &_| evaluation.update(sample, Weight::ONE);
            rollout.score(tokens, &mut estimator, each).unwrap();
        }
        black_box(evaluation.finish().unwrap());
    })
}

/// Estimates and scores at so many turns of runs of ten, by an estimator that has learnt from others.
fn learnt(n: usize) -> Box<dyn FnOnce()> {
    let (past, tokens) = rollouts(10_000, 10);
    let mut estimator = BudgetEstimator::default();
    past.iter().for_each(|rollout| estimator.learn(&rollout, tokens).unwrap());
    let (rollouts, tokens) = rollouts(n / 10, 10);
    Box::new(move || {
        let mut scores = Metrics::default().with_coverage(Level::new(0.8).unwrap());
        let mut fixed = estimator_from_fn(|prefix| estimator.estimate(prefix));
        for rollout in rollouts.iter() {
            rollout.score(tokens, &mut fixed, |sample| scores.update(sample, Weight::ONE)).unwrap();
        }
        black_box(scores.finish().unwrap());
    })
}

/// Kilobytes, from the line of that name.
fn memory(line: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let found = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'))?;
    found.trim().strip_suffix(" kB")?.parse().ok()
}

/// Prints seconds and megabytes.
fn measure(work: Box<dyn FnOnce()>) {
    // The peak from here on. Where it cannot be set back, the growth is over that of making the input.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmHWM");
    let (start, processor) = (Instant::now(), processor_seconds());
    work();
    let mut seconds = start.elapsed().as_secs_f64();
    // Long work is interrupted by others.
    if let (true, Some(from), Some(to)) = (seconds > 0.1, processor, processor_seconds()) {
        seconds = to - from;
    }
    match before.zip(memory("VmHWM")) {
        Some((before, after)) => {
            println!("{seconds:.3} {:.1}", ((after - before) / 1024.0).max(0.0));
        }
        None => println!("{seconds:.3} unknown"),
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [first, place, size] = arguments.as_slice()
        && first == "one"
    {
        let make = WORK[place.parse::<usize>().unwrap()].2;
        measure(make(size.parse().unwrap()));
        return;
    }
    let word = arguments.first().map_or("", String::as_str);
    println!("| work | size | s | MB | a tenth: s | MB |\n|---|---:|---:|---:|---:|---:|");
    for (place, (name, size, _)) in
        WORK.iter().enumerate().filter(|(_, work)| work.0.contains(word))
    {
        let run = |size: usize| {
            let mut command = Command::new(env::current_exe().unwrap());
            let output =
                command.args(["one", &place.to_string(), &size.to_string()]).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().replace(' ', " | ")
        };
        let (whole, tenth) = (run(*size), run(size / 10));
        println!("| {name} | {size} | {whole} | {tenth} |");
        let megabytes = |line: &str| line.rsplit(' ').next().unwrap().parse::<f64>();
        if let (Ok(whole), Ok(tenth)) = (megabytes(&whole), megabytes(&tenth)) {
            assert!(whole <= 12.0 * tenth + 4.0, "{name}: memory is more than linear");
        }
    }
}
