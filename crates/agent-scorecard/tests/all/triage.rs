//! Plans under a budget, scored as a Rust user does.

use agent_scorecard::{
    Value,
    knapsack_oracle::{Alpha, BudgetAware, Item, Pool, ReSolve},
    triage::{
        Answers, CappedRuns, METRICS, Planner, ReSolvedCounts, TriageOptions, VariantScore,
        VariantTable, evaluate, pools, re_solved,
    },
};

/// Half of 1000 is the budget. Of the six orders only c, a, b earns nothing, the others 1.
fn three() -> Pool {
    let items = [("a", 500, true), ("b", 300, true), ("c", 200, false)];
    let items = items.map(|(id, cost, solved)| Item::new(id, 1.0, cost, solved).unwrap());
    Pool::new(items.to_vec()).unwrap()
}

fn half() -> Vec<Alpha> {
    vec![Alpha::new(0.5).unwrap()]
}

fn alphas(problems: &Pool, options: &TriageOptions) -> Vec<agent_scorecard::Block> {
    let block = evaluate(problems, &pools(problems, options).unwrap(), options, false).unwrap();
    match block.get("alphas") {
        Some(Value::Rows { rows, .. }) => rows.clone(),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn three_problems_come_out_as_by_hand() {
    let options = TriageOptions { alphas: half(), ..TriageOptions::default() };
    let row = &alphas(&three(), &options)[0];
    let exact = row.number("random_exact").unwrap();
    assert!((exact - 5.0 / 6.0).abs() < 1e-15);
    // In order a uses up the budget; a third of the budget is enough for none.
    let values = METRICS.map(|metric| row.figure(metric.measure.key).unwrap().value);
    assert_eq!(values.map(|value| value.round()), [1.0, 1.0, 0.0, -5.0, -5.0, 1.0]);
}

#[test]
fn a_model_plans_by_pool_and_attempts_that_were_cut_off_count() {
    let mut answers = Answers::Each(Default::default());
    let plan = r#"{"plan": [{"id": "b", "allocation": 300}]}"#;
    assert!(answers.insert(0, 0.0, Some(half()[0]), plan.to_owned()));
    assert!(!answers.insert(0, 0.0, None, String::new()));
    let planner = Planner::Model { name: "m".to_owned(), answers };
    let options = TriageOptions { alphas: half(), planner, ..TriageOptions::default() };
    assert_eq!(alphas(&three(), &options)[0].number("regret_enforced"), Some(0.0));
    let capped = CappedRuns::from([("b".to_owned(), [(300, false)].into())]);
    let options = TriageOptions { capped: Some(capped), ..options };
    assert_eq!(alphas(&three(), &options)[0].number("regret_enforced"), Some(1.0));
    // There is no plan for another budget.
    let options = TriageOptions { alphas: vec![Alpha::new(1.0).unwrap()], ..options };
    let row = &alphas(&three(), &options)[0];
    assert_eq!(row.figure("eta_advisory").unwrap_err().to_string(), "there is no pool with a plan");
}

#[test]
fn variants_need_the_same_data_sets() {
    let score = |variant: &str, dataset: &str, eta| VariantScore {
        model: "m".to_owned(),
        mode: String::new(),
        dataset: dataset.to_owned(),
        variant: variant.to_owned(),
        alpha: half()[0],
        eta_advisory: Some(eta),
        eta_enforced: None,
    };
    let mut table = VariantTable::default();
    assert!(table.block().is_err_and(|error| error.to_string().starts_with("no line has")));
    table.insert(score("A", "x", 0.25)).unwrap();
    assert!(table.insert(score("A", "x", 0.5)).is_err());
    table.insert(score("B", "x", 0.75)).unwrap();
    let json = serde_json::to_value(table.block().unwrap()).unwrap();
    assert_eq!(json["tables"][0]["rows"][0]["range"], 0.5);
    table.insert(score("B", "y", 0.75)).unwrap();
    assert!(table.block().is_err_and(|error| error.to_string().contains("different data sets")));
}

#[test]
fn counts_of_a_model_are_those_of_its_data_sets_together() {
    let mut counts = ReSolvedCounts::new();
    for (dataset, solved_after) in [("x", true), ("y", false)] {
        let mut of_dataset = BudgetAware::default();
        let item = ReSolve { allocation: 10, cost: 9, solved_before: false, solved_after };
        of_dataset.update(item).unwrap();
        counts.entry("m".to_owned()).or_default().insert(dataset.to_owned(), of_dataset);
    }
    let json = serde_json::to_value(re_solved(&counts)).unwrap();
    let model = &json["models"][0];
    assert_eq!((&model["n"], &model["budget_aware_accuracy"]["value"]), (&2.into(), &0.5.into()));
    assert_eq!(model["datasets"][1]["budget_aware_accuracy"]["value"], 0.0);
}
