#[path = "typed_graphs.rs"]
mod typed_graphs;
fn cpu() -> f64 {
    std::thread::yield_now();
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}
use tool_graph::Search;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let seeds: u64 = args[0].parse().unwrap();
    let only: Option<usize> = args.get(1).and_then(|a| a.parse().ok());
    let search = args.get(2).map(String::as_str).unwrap_or("best").to_owned();
    let mut all = vec![];
    for (k, kind) in typed_graphs::KINDS.iter().enumerate() {
        if only.is_some_and(|o| o != k) {
            continue;
        }
        let mut times = vec![];
        let mut sum = 0.0;
        let mut lens = vec![];
        for seed in 0..seeds {
            let (graph, problem) = kind.graph(seed);
            let t = cpu();
            let plan = match search.as_str() {
                "bc" => graph.optimal_plan_by(&problem, Search::BranchAndCut),
                "astar" => graph.optimal_plan_by(&problem, Search::AStar),
                _ => graph.optimal_plan(&problem),
            }
            .unwrap();
            let t = (cpu() - t) * 1e-6;
            if let Some(p) = &plan {
                sum += p.cost() * (seed + 1) as f64
                    + p.tools().iter().enumerate().map(|(i, t)| (i * t) as f64).sum::<f64>();
                if p.tools().len() >= 15 {
                    times.push((t, seed));
                    all.push(t);
                }
                lens.push(p.tools().len());
            }
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        lens.sort();
        let n = times.len();
        if n > 0 {
            println!(
                "{k} {:16} n15 {n} lens {}..{}..{} median {:.2} p90 {:.2} max {:?} checksum {sum:.2}",
                kind.name,
                lens[0],
                lens[lens.len() / 2],
                lens[lens.len() - 1],
                times[n / 2].0,
                times[n * 9 / 10].0,
                &times[n.saturating_sub(3)..]
            );
        } else {
            println!("{k} {} n15 0 lens {lens:?}", kind.name);
        }
    }
    all.sort_by(f64::total_cmp);
    let n = all.len();
    println!(
        "all n {n} median {:.2} p90 {:.2} p99 {:.2} max {:.2}",
        all[n / 2],
        all[n * 9 / 10],
        all[n * 99 / 100],
        all[n - 1]
    );
}
