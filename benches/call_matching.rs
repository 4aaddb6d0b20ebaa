//! Matching twenty calls against twenty expected ones, alignment included.
//!
//! `cargo bench --bench call_matching`
#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use trajectory_metrics::tool_calls::{
    ArgumentRule, ToolCall, ToolCallMatcher, call_matcher_from_fn, match_calls,
};

/// Calls of seven tools whose names begin alike, each with three arguments.
fn calls() -> Vec<ToolCall> {
    let names = ["user", "order", "item", "price", "payment", "address", "status"];
    (0..20_i64)
        .map(|i| {
            let name = format!("get_details_of_{}", names[i as usize % names.len()]);
            let id = format!("id-{:04}", i % 10);
            ToolCall::new(
                name,
                [("id", id.into()), ("page", (i / 10).into()), ("all", true.into())],
            )
        })
        .collect()
}

fn twenty(c: &mut Criterion) {
    let expected = calls();
    let mut turned = expected.clone();
    turned.rotate_left(7);
    let mut mirrored = expected.clone();
    mirrored.reverse();
    let exact = ToolCallMatcher::new(ArgumentRule::exact());
    let ignore = ToolCallMatcher::new(ArgumentRule::ignore());
    let mut group = c.benchmark_group("match_calls_20");
    let mut case = |name: &str, actual: &[ToolCall], matcher: &ToolCallMatcher| {
        group.bench_function(name, |b| {
            b.iter(|| match_calls(black_box(actual), black_box(&expected), matcher).unwrap());
        });
    };
    case("exact_same_order", &expected, &exact);
    case("exact_turned", &turned, &exact);
    case("exact_mirrored", &mirrored, &exact);
    case("names_mirrored", &mirrored, &ignore);
    group.finish();

    let numbers: Vec<u32> = (0..20).collect();
    let turned_numbers: Vec<u32> = (0..20).map(|i| (i + 7) % 20).collect();
    let same = call_matcher_from_fn(|a: &u32, e: &u32| a == e);
    c.bench_function("match_calls_20_numbers/turned", |b| {
        b.iter(|| match_calls(black_box(&turned_numbers), black_box(&numbers), &same).unwrap());
    });
}

criterion_group!(benches, twenty);
criterion_main!(benches);
