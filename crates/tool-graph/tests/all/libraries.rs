//! Valid and invalid libraries.

use tool_graph::{Error, Problem, Scenario, Tool, ToolGraph};

use crate::{EMPTY, graph_of, length, plans::chain_of_twins};

fn tool(name: &str, inputs: &[&str], outputs: &[&str], components: &[&str]) -> Tool {
    Tool::new(name, inputs.iter().copied(), outputs.iter().copied(), 1.0)
        .with_components(components.iter().copied())
}

fn two() -> Vec<Tool> {
    vec![tool("a", &["x"], &["y"], &[]), tool("b", &["y", "side"], &["z"], &[])]
}

#[test]
fn an_invalid_library_is_an_error_that_names_the_tool() {
    assert_eq!(ToolGraph::new(vec![]).unwrap_err(), EMPTY);
    let priced = |cost| Tool { cost, ..tool("c", &[], &["w"], &[]) };
    let composite = |inputs: &[&str], output: &str, components: &[&str]| {
        vec![tool("ab", inputs, &[output], components)]
    };
    let circle = vec![
        tool("top", &["x"], &["y"], &["p"]),
        tool("p", &["x"], &["y"], &["q"]),
        tool("q", &["x"], &["y"], &["p"]),
    ];
    for (more, says) in [
        (vec![tool("a", &[], &["w"], &[])], "two tools are named \"a\""),
        (vec![priced(-0.5)], "tool \"c\" is -0.5; costs must be finite and at least 0"),
        (vec![priced(f64::NAN)], "the cost of tool \"c\" is NaN"),
        (vec![priced(f64::INFINITY)], "the cost of tool \"c\" is inf"),
        (vec![priced(f64::NEG_INFINITY)], "the cost of tool \"c\" is -inf"),
        (
            composite(&["x", "side"], "z", &["a", "bb"]),
            "the component \"bb\" of tool \"ab\" is not in the library",
        ),
        (composite(&["x"], "y", &["a", "ab"]), "tool \"ab\" contains itself"),
        (circle, "contains itself"),
        (
            composite(&["x"], "z", &["a", "b"]),
            "the input \"side\" is missing when tool \"ab\" runs its component \"b\"",
        ),
        // In the other order, y is missing when its user runs.
        (
            composite(&["x", "side"], "z", &["b", "a"]),
            "the input \"y\" is missing when tool \"ab\" runs its component \"b\"",
        ),
        (
            composite(&["x", "side"], "w", &["a", "b"]),
            "tool \"ab\" declares the output \"w\", but none of its components yields it",
        ),
    ] {
        let error = ToolGraph::new([two(), more].concat()).unwrap_err();
        let Error::Tool { tool, problem, .. } = error else { panic!("{error}") };
        assert!(problem.contains(says) && tool != "top", "{problem}");
    }
    let graph = ToolGraph::new(two()).unwrap();
    for cost in [-0.5, f64::NAN, f64::INFINITY] {
        let error = graph.with_costs(&[1.0, cost]).unwrap_err();
        assert!(matches!(&error, Error::Tool { tool, .. } if tool == "b"), "{error:?}");
    }
    assert_eq!(graph.with_costs(&[1.0]), Err(length(2, 1)));
}

#[test]
fn empty_names_and_repeated_data_types_are_refused() {
    for (tool, says) in [
        (tool("", &["x"], &["y"], &[]), "tool 2, counted from 0, has an empty name"),
        (tool("c", &["x", ""], &["y"], &[]), "tool \"c\" has an input with an empty name"),
        (tool("c", &["x"], &[""], &[]), "tool \"c\" has an output with an empty name"),
        (tool("c", &["x", "side", "x"], &["y"], &[]), "tool \"c\" has the input \"x\" twice"),
        (tool("c", &["x"], &["y", "y"], &[]), "tool \"c\" has the output \"y\" twice"),
    ] {
        let name = tool.name.clone();
        let error = ToolGraph::new([two(), vec![tool]].concat()).unwrap_err();
        let Error::Tool { tool, problem, .. } = error else { panic!("{error}") };
        assert!(tool == name && problem.starts_with(says), "{problem}");
    }
    assert!(ToolGraph::new(vec![tool("loop", &["x"], &["x"], &[])]).is_ok());
}

#[test]
fn a_tool_can_be_called_if_all_its_inputs_are_present_and_adds_its_outputs() {
    let graph = ToolGraph::new(two()).unwrap();
    let state = |types: &[&str]| graph.state(types).unwrap();
    let (a, b) = (0, 1);
    for (types, callable) in
        [(&["x"][..], [true, false]), (&["y"], [false, false]), (&["y", "side"], [false, true])]
    {
        assert_eq!([a, b].map(|tool| graph.can_call(tool, &state(types))), callable, "{types:?}");
    }
    let mut now = state(&["y", "side"]);
    assert_eq!(graph.apply(b, &mut now), Ok(true));
    assert_eq!(now, state(&["y", "side", "z"]), "the inputs stay");
    assert_eq!((graph.apply(b, &mut now), now), (Ok(false), state(&["y", "side", "z"])));
}

#[test]
fn a_composite_tool_can_yield_its_last_output_or_all_and_can_contain_composites() {
    let mut tools = two();
    tools.insert(0, tool("abc", &["x", "side", "more"], &["w"], &["ab", "c"]));
    tools.push(tool("ab", &["x", "side"], &["y", "z"], &["a", "b"]));
    tools.push(tool("c", &["z"], &["w"], &[]));
    let graph = ToolGraph::new(tools).unwrap();
    assert_eq!(graph.tool_names(&graph.components(0).unwrap()), ["ab", "c"]);
    assert_eq!(graph.tool_index("c"), Some(4));
    assert_eq!(graph.tool_index("d"), None);
}

#[test]
fn a_goal_that_no_tool_yields_is_an_error_and_an_unreachable_goal_is_not() {
    let mut graph = ToolGraph::new(two()).unwrap();
    for goal in ["x", "side", "nowhere"] {
        let error = graph.problem(&["y"], &[goal]).unwrap_err();
        assert!(matches!(&error, Error::Name { name, .. } if name == goal), "{error}");
    }
    assert_eq!(graph.problem(&["x"], &[""; 0]), Err(EMPTY));
    let problem = graph.problem(&["x"], &["z"]).unwrap();
    assert_eq!(graph.optimal_plan(&problem), Ok(None));
    assert_eq!(graph.best_plans(&problem, 3), Ok(vec![]));
    assert_eq!(graph.count_shortest_plans(&problem), Ok(0));
    assert_eq!(graph.count_chain_plans(&problem), Ok(0));

    let problem = graph.problem(&["x", "side", "unheard-of"], &["z", "unheard-of"]).unwrap();
    assert_eq!(graph.optimal_plan(&problem).unwrap().unwrap().tools, [0, 1]);
    graph.ban(0).unwrap();
    assert_eq!(graph.optimal_plan(&problem), Ok(None));
    assert!(graph.problem(&["x"], &["y"]).is_ok(), "banned tools count as tools that yield");
    assert!(matches!(graph.ban(2), Err(Error::NoSuchTool { tool: 2, tools: 2, .. })));
}

#[test]
fn a_goal_that_is_present_at_the_start_has_an_empty_plan() {
    let (graph, problem) = graph_of(two(), &["x"], &["x"]);
    let plan = graph.optimal_plan(&problem).unwrap().unwrap();
    assert_eq!((&plan.tools[..], plan.cost), (&[][..], 0.0));
    assert_eq!(graph.best_plans(&problem, 3).unwrap().len(), 1);
    assert_eq!(graph.count_shortest_plans(&problem), Ok(1));
    assert_eq!(graph.count_chain_plans(&problem), Ok(1));
    assert_eq!(graph.is_plan(&problem, &[]), Ok(true));
    assert_eq!(graph.is_plan(&problem, &[0]), Ok(false));
}

#[test]
fn graphs_are_equal_if_their_tools_costs_and_bans_are() {
    let graph = ToolGraph::new(two()).unwrap();
    assert_eq!(graph, ToolGraph::new(two()).unwrap());
    let dear = graph.with_costs(&[1.0, 2.0]).unwrap();
    assert_ne!(graph, dear);
    assert_eq!(graph, dear.with_costs(&[1.0, 1.0]).unwrap());
    let mut later = graph.clone();
    later.ban(1).unwrap();
    assert_ne!(graph, later);
    for other in [tool("b", &["y"], &["z"], &[]), tool("c", &["y", "side"], &["z"], &[])] {
        assert_ne!(graph, ToolGraph::new(vec![two()[0].clone(), other]).unwrap());
    }
    assert_ne!(graph, ToolGraph::new(two()[..1].to_vec()).unwrap());
}

#[test]
fn a_state_of_a_graph_with_other_data_types_is_an_error() {
    let graph = ToolGraph::new(two()).unwrap();
    let other = ToolGraph::new(two()[..1].to_vec()).unwrap();
    let problem = other.problem(&["x"], &["y"]).unwrap();
    assert_eq!(graph.optimal_plan(&problem), Err(Error::OtherGraph));
    assert_eq!(graph.is_plan(&problem, &[0]), Err(Error::OtherGraph));
    assert_eq!(graph.is_plan(&problem, &[]), Err(Error::OtherGraph));
    assert_eq!(graph.best_plans(&problem, 1), Err(Error::OtherGraph));
    // The same number of data types, but different ones or in another order.
    let mut turned = two();
    turned.swap(0, 1);
    for tools in [turned, vec![tool("a", &["x"], &["y", "z", "v"], &[])]] {
        let other = ToolGraph::new(tools).unwrap();
        assert_eq!(other.type_names().len(), graph.type_names().len());
        let problem = other.problem(&[""; 0], &["y"]).unwrap();
        assert_eq!(graph.optimal_plan(&problem), Err(Error::OtherGraph));
        let mut state = other.state(&["y"]).unwrap();
        assert_eq!(graph.apply(0, &mut state), Err(Error::OtherGraph));
        assert!(!graph.can_call(0, &other.state(&["x"]).unwrap()));
        let mixed = Problem { initial: graph.state(&["x"]).unwrap(), ..problem };
        for graph in [&graph, &other] {
            assert_eq!(graph.optimal_plan(&mixed), Err(Error::OtherGraph));
            assert_eq!(graph.is_plan(&mixed, &[]), Err(Error::OtherGraph));
            assert_eq!(Scenario::new(graph.clone(), mixed.clone()), Err(Error::OtherGraph));
        }
    }
    // The same data types with other costs.
    let dear = graph.with_costs(&[9.0, 9.0]).unwrap();
    let again = ToolGraph::new(two()).unwrap();
    let problem = again.problem(&["x"], &["y"]).unwrap();
    assert!(dear.optimal_plan(&problem).is_ok());
    let error = graph.state(&["w"]).unwrap_err().to_string();
    assert!(error.starts_with("no tool needs or yields the data type \"w\""), "{error}");
}

#[test]
fn listed_paths_count_once_and_only_if_they_are_plans() {
    let tools = vec![
        tool("a", &["s0"], &["s1"], &[]),
        tool("b", &["s1"], &["s2"], &[]),
        tool("c", &["s2"], &["s3"], &[]),
        tool("ab", &["s0"], &["s2"], &["a", "b"]),
        tool("bc", &["s1"], &["s3"], &["b", "c"]),
    ];
    let (graph, problem) = graph_of(tools, &["s0"], &["s3"]);
    assert_eq!(graph.count_chain_plans(&problem), Ok(3));
    assert_eq!(graph.count_shortest_plans(&problem), Ok(2));
    let listed: [&[&str]; 6] =
        [&["a", "bc"], &["ab", "c"], &["a", "bc"], &["a", "ab", "c"], &["d"], &["a", "b"]];
    let coverage = graph.path_coverage(&problem, &listed).unwrap();
    assert_eq!((coverage.covered, coverage.possible), (2, 3));
    assert_eq!((coverage.repeated, coverage.not_plans), (1, 3));
    assert_eq!(coverage.rate(), Some(2.0 / 3.0));
}

#[test]
fn a_chain_of_two_hundred_doubling_steps_has_too_many_plans_to_count() {
    let (graph, problem) = chain_of_twins(200, 2);
    assert_eq!(graph.count_chain_plans(&problem), Err(Error::TooManyPlans));
    assert_eq!(graph.count_shortest_plans(&problem), Err(Error::TooManyPlans));
    assert_eq!(graph.optimal_plan(&problem).unwrap().unwrap().tools.len(), 200);
    let short = graph.problem(&["t80"], &["t200"]).unwrap();
    assert_eq!(graph.count_chain_plans(&short), Ok(1 << 120));
    assert_eq!(graph.count_shortest_plans(&short), Ok(1 << 120));
}

/// The total costs of calls, by position, in a library of tools with these costs.
fn sums(costs: &[f64]) -> Result<impl Fn(&[usize]) -> f64, Error> {
    let tool = |(tool, &cost): (usize, &f64)| Tool::new(tool.to_string(), ["x"], ["y"], cost);
    let graph = ToolGraph::new(costs.iter().enumerate().map(tool).collect())?;
    Ok(move |calls: &[usize]| graph.total_cost(calls).unwrap())
}

#[test]
fn sums_of_costs_are_exact_in_decimal() {
    let sum = sums(&[0.1, 0.2, 0.3, 40.73, 42.67]).unwrap();
    assert_eq!((sum(&[0, 1]), sum(&[2]), sum(&[3, 4])), (0.3, 0.3, 83.4));
    let sum = sums(&[0.1 + 0.2, 1e-10, 3e9, 0.0, 1.0 / 3.0]).unwrap();
    assert_eq!((sum(&[0]), sum(&[1, 3]), sum(&[2])), (0.1 + 0.2, 1e-10, 3e9));
    assert_eq!((sum(&[4]), sum(&[])), (1.0 / 3.0, 0.0));
    let sum = sums(&[-0.0, 1.0 / 3.0]).unwrap();
    assert_eq!((sum(&[0]).to_bits(), sum(&[0, 1])), (0, 1.0 / 3.0));
}

#[test]
fn costs_that_cannot_be_added_are_errors() {
    let problem = |costs: &[f64]| match sums(costs).map(|_| ()) {
        Err(Error::Tool { tool, problem, .. }) if tool == "1" => problem,
        other => panic!("{other:?}"),
    };
    assert!(problem(&[1e-300, 1e300]).contains("cannot be added exactly"));
    assert!(sums(&[1e300, 2e300]).is_ok() && sums(&[5e-324, 5e-324]).is_ok());
}

#[test]
fn a_state_belongs_to_graphs_with_the_same_names_in_the_same_order() {
    let lists: [&[&str]; 6] =
        [&["ab", "c"], &["a", "bc"], &["c", "ab"], &["ab\0", "c"], &["ab", "\0c"], &["abc"]];
    let graphs = lists.map(|names| {
        ToolGraph::new(vec![Tool::new("a", names.to_vec(), Vec::<String>::new(), 1.0)]).unwrap()
    });
    for (i, graph) in graphs.iter().enumerate() {
        for (j, other) in graphs.iter().enumerate() {
            let applied = graph.apply(0, &mut other.state(&[""; 0]).unwrap());
            assert_eq!(applied, if i == j { Ok(false) } else { Err(Error::OtherGraph) });
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_library_is_read_from_json() {
    let json = r#"[{"name": "a", "inputs": ["x"], "outputs": ["y"], "cost": 2.5}]"#;
    let tools = |text: &str| serde_json::from_str::<Vec<Tool>>(text);
    assert_eq!(tools(json).unwrap(), [Tool::new("a", ["x"], ["y"], 2.5)]);
    for bad in [json.replace("cost", "price"), json.replace("2.5", "null")] {
        assert!(tools(&bad).is_err(), "{bad}");
    }
}
