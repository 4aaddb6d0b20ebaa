//! Matching of calls against what a benchmark recorded of its runs.
use trajectory_metrics::tool_calls::{
    ArgumentRule, CallMatcher, ToolCall, ToolCallMatcher, match_calls,
};

/// What one expected call of a recorded run came to.
struct Check {
    tool: String,
    telecom: bool,
    recorded: bool,
    /// Whether some call satisfies it, as in the benchmark, where it may satisfy others too.
    satisfied: bool,
    /// Whether it is matched where one call satisfies one expected call.
    matched: bool,
}

/// Every expected call of the recorded runs whose match was recorded.
fn checks(rows: &[serde_json::Value], of: impl Fn(bool) -> ToolCallMatcher) -> Vec<Check> {
    let mut checks = Vec::new();
    for row in rows {
        let list = |name: &str| -> Vec<ToolCall> {
            let entries = row[name].as_array().unwrap().iter();
            let hashed = |call: &serde_json::Value| ToolCall {
                name: call["name"].as_str().unwrap().to_owned(),
                arguments: call["args"].as_str().unwrap().into(),
            };
            entries.map(hashed).collect()
        };
        let telecom = row["domain"].as_str().unwrap().starts_with("tau2-telecom");
        let matcher = of(telecom);
        let called = [list("agent_calls"), list("user_calls")].concat();
        let expected = list("expected_calls");
        let alignment = match_calls(&called, &expected, &matcher).unwrap();
        for (i, expected) in expected.into_iter().enumerate() {
            if let Some(recorded) = row["expected_calls"][i]["matched"].as_bool() {
                let satisfied =
                    called.iter().any(|call| matcher.satisfies(call, &expected).unwrap());
                let matched = !alignment.missing.contains(&i);
                checks.push(Check { tool: expected.name, telecom, recorded, satisfied, matched });
            }
        }
    }
    checks
}

#[test]
fn recorded_matches_are_found_but_for_the_53_that_compare_fewer_arguments_or_numbers_otherwise() {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of recorded runs");
        return;
    };
    let path = std::path::Path::new(&folder).join("data/toolpaths/tau2.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let exact = checks(&rows, |_| ToolCallMatcher::new(ArgumentRule::exact()));
    let agree = exact.iter().filter(|check| check.satisfied == check.recorded).count();
    println!("name and arguments: {agree} of {} as recorded", exact.len());
    assert_eq!((agree, exact.len()), (2_950, 3_003));

    let count = |tool: &str, telecom: bool| {
        let differs = exact.iter().filter(|check| check.satisfied != check.recorded);
        let differs = differs.filter(|check| check.tool == tool && check.telecom == telecom);
        // Recorded as matched without an equal call, never the other way round.
        let found = differs.inspect(|check| assert!(check.recorded)).count();
        println!("  {found} {tool}, {}", if telecom { "telecom" } else { "other domains" });
        found
    };
    assert_eq!(count("transfer_to_human_agents", true), 39);
    assert_eq!(count("transfer_to_human_agents", false), 1);
    assert_eq!(count("refuel_data", true), 13);

    // The names of those two tools are enough in the telecom domain: one case is left.
    let loose = checks(&rows, |telecom| {
        let matcher = ToolCallMatcher::new(ArgumentRule::exact());
        if !telecom {
            return matcher;
        }
        let matcher = matcher.with_tool("transfer_to_human_agents", ArgumentRule::ignore());
        matcher.with_tool("refuel_data", ArgumentRule::ignore())
    });
    let agree = loose.iter().filter(|check| check.satisfied == check.recorded).count();
    println!("those two by name in telecom: {agree} as recorded");
    assert_eq!(agree, 3_002);

    // The benchmark lets one call satisfy two expected calls that are alike.
    let agree = exact.iter().filter(|check| check.matched == check.recorded).count();
    let shared = exact.iter().filter(|check| check.satisfied && !check.matched);
    let shared = shared.inspect(|check| assert!(check.recorded)).count();
    println!("each call for one expected call only: {agree} as recorded, {shared} fewer matches");
    assert_eq!((agree, shared), (2_925, 25));
}
