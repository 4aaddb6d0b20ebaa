//! What counts, by which rules: grades, limits, repeats, what is missing, and the account of it all.

use std::io::Cursor;

use proptest::prelude::*;
use run_logs::{
    Account, AtLimit, Error, FactRules, Format, ReadOptions, Repeats, Run, RunLimit, RunTable,
    Score, ScoreRange, StopReason, StreamOptions, TraceFile, TraceRules, Ungraded, read,
};
use serde_json::{Value, json};
use trajectory_metrics::tool_calls::Value as Fact;

use crate::common::{self, runs};

/// The table of a log of inspect_ai with these samples, by these rules.
fn table(samples: &[Value], rules: &FactRules) -> Result<RunTable, Error> {
    logs(&[log(samples, json!({}), json!(null))], rules)
}

/// A log of inspect_ai; `eval` adds to its head.
fn log(samples: &[Value], eval: Value, results: Value) -> Value {
    let mut head = json!({"eval_id": "e", "task": "t", "task_id": "tid", "model": "m", "created": "2026-01-01"});
    head.as_object_mut().unwrap().extend(eval.as_object().unwrap().clone());
    json!({"version": 2, "status": "success", "eval": head, "results": results, "samples": samples})
}

fn logs(logs: &[Value], rules: &FactRules) -> Result<RunTable, Error> {
    common::table(logs.iter().flat_map(|log| runs(log.to_string())).collect(), rules)
}

fn sample(id: &str, score: impl Into<Value>) -> Value {
    json!({"id": id, "epoch": 1, "scores": {"s": {"value": score.into()}}})
}

fn with(mut sample: Value, field: &str, value: Value) -> Value {
    sample[field] = value;
    sample
}

fn outcomes(found: &RunTable) -> Vec<Option<bool>> {
    found.rows().iter().map(|row| row.outcome).collect()
}

fn grades(found: &RunTable) -> Vec<Option<f64>> {
    found.rows().iter().map(|row| row.grade).collect()
}

fn ungraded(found: &RunTable) -> Vec<Option<Ungraded>> {
    found.rows().iter().map(|row| row.ungraded).collect()
}

#[test]
fn a_grade_counts_at_a_limit_of_any_kind_and_a_run_without_one_is_unknown() {
    for kind in ["message", "token", "time", "working", "cost", "operator", "context", "custom"] {
        let limit = json!({"type": kind, "limit": 5});
        let graded = with(sample("a", "C"), "limit", limit.clone());
        let ungraded = json!({"id": "b", "epoch": 1, "scores": {}, "limit": limit});
        let unknown = (None, Some(Ungraded::AtLimit));
        for (at_limit, expected) in [
            (None, [(Some(true), None), unknown]),
            (Some(AtLimit::Graded), [(Some(true), None), unknown]),
            (Some(AtLimit::Failed), [(Some(false), None); 2]),
            (Some(AtLimit::Unknown), [unknown; 2]),
        ] {
            let rules = FactRules { at_limit, ..FactRules::default() };
            let table = table(&[graded.clone(), ungraded.clone()], &rules).unwrap();
            let found = table.rows().iter().map(|row| (row.outcome, row.ungraded));
            assert!(found.eq(expected), "{kind} {at_limit:?}");
        }
    }
}

#[test]
fn words_count_as_inspect_ai_reads_them_and_partial_successes_are_neither() {
    let samples: Vec<Value> =
        ["C", "P", "I", "N", "yes", "False", "0.25"].map(|word| sample(word, word)).into();
    let found = table(&samples, &FactRules::default()).unwrap();
    assert_eq!(grades(&found), [1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.25].map(Some));
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(outcomes(&found), [yes, None, no, no, yes, no, None]);
    assert_eq!(found.account("").n_partial, 2);

    let rules = FactRules::default().with_success_at(0.5).unwrap();
    let found = table(&samples, &rules).unwrap();
    assert_eq!(outcomes(&found), [yes, yes, no, no, yes, no, no]);
}

#[test]
fn scores_beyond_0_to_1_are_refused_with_their_range_and_both_ways_out() {
    for (low, high) in [(1.0, 4.0), (0.0, 100.0), (-5.0, 0.5), (0.2, 1.5)] {
        let samples = [sample("a", low), sample("b", high)];
        let error = table(&samples, &FactRules::default()).unwrap_err().to_string();
        for part in [&format!("from {low} to {high}"), "--score-range", "--success-at", " of s "] {
            assert!(error.contains(part), "{part}: {error}");
        }
        let range = Some(ScoreRange::new(low, high).unwrap());
        let rules = FactRules { score_range: range, ..FactRules::default() };
        assert_eq!(grades(&table(&samples, &rules).unwrap()), [Some(0.0), Some(1.0)]);
        let rules = FactRules::default().with_success_at(high).unwrap();
        assert_eq!(outcomes(&table(&samples, &rules).unwrap()), [Some(false), Some(true)]);

        // Who only looks sees the runs, none of them judged.
        let lenient = FactRules { is_lenient: true, ..FactRules::default() };
        let found = table(&samples, &lenient).unwrap();
        assert!(found.problem().unwrap().contains("--score-range"));
        assert!(found.rows().iter().all(|row| row.outcome.is_none()));
    }
    let rules = FactRules { score_range: Some("1..3".parse().unwrap()), ..FactRules::default() };
    let error = table(&[sample("a", 4)], &rules).unwrap_err().to_string();
    assert!(error.contains("outside the range 1..3"), "{error}");
}

#[test]
fn of_several_scorers_the_first_of_the_head_counts_and_the_account_names_it() {
    let scores = json!({"alpha": {"value": "I"}, "zeta": {"value": {"style": 0, "correct": 1}}});
    let samples = [json!({"id": 1, "epoch": 1, "scores": scores})];
    let results = json!({"scores": [{"name": "correct", "scorer": "zeta"}, {"name": "alpha", "scorer": "alpha"}]});
    let of = |eval: Value, results: &Value, scorer: Option<&str>| {
        let rules = FactRules { scorer: scorer.map(str::to_owned), ..FactRules::default() };
        let found = logs(&[log(&samples, eval, results.clone())], &rules)?;
        let outcome = found.rows().first().and_then(|row| row.outcome);
        let account = found.account("");
        Ok::<_, Error>((outcome, account.scorers.into_keys().next()))
    };
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(of(json!({}), &results, None).unwrap(), (Some(true), named("zeta.correct")));
    let scorers = json!({"scorers": [{"name": "pkg/alpha"}, {"name": "zeta"}]});
    assert_eq!(of(scorers, &json!(null), None).unwrap(), (Some(false), named("alpha")));
    assert_eq!(of(json!({}), &results, Some("style")).unwrap(), (Some(false), named("zeta.style")));
    let whole = of(json!({}), &results, Some("zeta.correct")).unwrap();
    assert_eq!(whole, (Some(true), named("zeta.correct")));
    assert_eq!(of(json!({}), &results, Some("absent")).unwrap(), (None, None));
    // Without an order of the log's own, nothing says which it is.
    let error = of(json!({}), &json!(null), None).unwrap_err().to_string();
    assert!(error.contains("alpha, zeta.correct, zeta.style; name one with --scorer"), "{error}");
}

#[test]
fn the_first_scorer_counts_in_runs_that_it_did_not_score_too() {
    let both =
        json!({"id": 1, "epoch": 1, "scores": {"exact": {"value": "I"}, "judge": {"value": "C"}}});
    let one = json!({"id": 2, "epoch": 1, "scores": {"judge": {"value": "C"}}});
    let nan =
        json!({"id": 3, "epoch": 1, "scores": {"exact": {"value": null}, "judge": {"value": "C"}}});
    let eval = json!({"scorers": [{"name": "exact"}, {"name": "judge"}]});
    let results = json!({"scores": [{"name": "exact", "scorer": "exact"}, {"name": "judge", "scorer": "judge"}]});
    for results in [json!(null), results] {
        let log = log(&[both.clone(), one.clone(), nan.clone()], eval.clone(), results);
        let found = logs(&[log], &FactRules::default()).unwrap();
        let none = Some(Ungraded::NoScore);
        assert_eq!(grades(&found), [Some(0.0), None, None]);
        assert_eq!(ungraded(&found), [None, none, none]);
        assert_eq!(
            found.account("").scorers.into_iter().collect::<Vec<_>>(),
            [("exact".to_owned(), 1)]
        );
    }
    // A score that the head does not know is the only one.
    let log = log(&[one], json!({"scorers": [{"name": "exact"}]}), json!(null));
    assert_eq!(logs(&[log], &FactRules::default()).unwrap().rows()[0].grade, Some(1.0));
}

#[test]
fn the_name_of_a_value_may_have_slashes_and_dots() {
    for key in ["style/long", "v1.0", "a/b.c"] {
        let value = json!({"other": 0, key: 1});
        let samples = [json!({"id": 1, "epoch": 1, "scores": {"judge": {"value": value}}})];
        let results = json!({"scores": [{"name": key, "scorer": "pkg/judge"}, {"name": "other", "scorer": "pkg/judge"}]});
        let found = logs(&[log(&samples, json!({}), results)], &FactRules::default()).unwrap();
        let scorers = found.account("").scorers.into_keys().collect::<Vec<_>>();
        assert_eq!((found.rows()[0].grade, scorers), (Some(1.0), vec![format!("judge.{key}")]));
    }
}

/// The account's sentences on a log with these figures, of four runs with the mean 0.75 and the standard error 0.25.
fn unlike_log(results: Value, rules: &FactRules) -> Vec<String> {
    let epoch = |id: &str, epoch, value: f64| with(sample(id, value), "epoch", json!(epoch));
    let samples = [epoch("a", 1, 1.0), epoch("a", 2, 1.0), epoch("b", 1, 0.0), epoch("b", 2, 1.0)];
    logs(&[log(&samples, json!({}), json!({"scores": [results]}))], rules)
        .unwrap()
        .account("")
        .unlike_log
}

#[test]
fn other_figures_of_the_log_itself_stand_in_the_account() {
    let results = |mean: f64, error: f64, reducer: Option<&str>, cluster: Option<&str>| {
        let params = cluster.map_or(json!({}), |cluster| json!({"cluster": cluster}));
        let stderr = json!({"name": "stderr", "value": error, "params": params});
        json!({"name": "s", "scorer": "s", "reducer": reducer,
            "metrics": {"accuracy": {"name": "accuracy", "value": mean}, "stderr": stderr}})
    };
    let rules = FactRules::default();
    assert_eq!(unlike_log(results(0.75, 0.25, Some("mean"), None), &rules), [""; 0]);
    assert_eq!(
        unlike_log(results(1.0, 0.0, Some("max"), None), &rules),
        [
            "the log of t states a mean score of 1.0000 and a standard error of 0.0000 (epochs by max), but its runs have a mean score \
            of 0.7500 and a standard error of 0.2500 by sample"
        ]
    );
    let source = unlike_log(results(0.75, 0.125, None, Some("source")), &rules);
    assert!(source[0].contains("0.1250 (clusters by source)"), "{source:?}");
    // Other rules make other figures, and a range the same ones.
    let rules = FactRules::default().with_success_at(0.5).unwrap();
    assert_eq!(unlike_log(results(1.0, 0.0, Some("max"), None), &rules), [""; 0]);
    let rules = FactRules { score_range: Some("-1..1".parse().unwrap()), ..FactRules::default() };
    assert_eq!(unlike_log(results(0.75, 0.25, None, None), &rules), [""; 0]);
}

#[test]
fn evaluations_without_the_scorer_that_was_asked_for_count_for_nothing() {
    let limit = json!({"type": "token", "limit": 5});
    let of_other = |id: &str| json!({"id": id, "epoch": 1, "scores": {"other": {"value": 1}}});
    let other = || with(of_other("b"), "limit", limit.clone());
    let rules = FactRules { scorer: Some("s".to_owned()), ..FactRules::default() };
    let left_out = |found: &RunTable| found.account("").left_out.get("other_scorer").copied();
    // Not even a failure by a rule: it is no run of what was asked for.
    let failed = FactRules { at_limit: Some(AtLimit::Failed), ..rules.clone() };
    let of = |name: &str| json!({"eval_id": name, "task_id": name});
    for rules in [&rules, &failed] {
        let with_it = log(&[sample("a", 1)], of("e1"), json!(null));
        let without = log(&[other()], of("e2"), json!(null));
        let found = logs(&[with_it, without], rules).unwrap();
        assert_eq!((ungraded(&found), left_out(&found)), (vec![None], Some(1)));
    }
    // Nor are what it excluded, crashed or planned and lacks.
    let error = json!({"message": "crash", "traceback": ""});
    let crashed = json!({"id": "c", "epoch": 1, "scores": {}, "error": error});
    let excluded = with(of_other("d"), "invalidation", json!({"reason": "r"}));
    let head = json!({"eval_id": "e2", "task_id": "other", "model": "m",
        "dataset": {"sample_ids": ["b", "c", "d", "e", "f"]}});
    let cancelled = log(&[other(), crashed, excluded], head, json!(null));
    let found = logs(&[log(&[sample("a", 1)], json!({}), json!(null)), cancelled], &rules).unwrap();
    let account = found.account("");
    assert_eq!((ungraded(&found), left_out(&found)), (vec![None], Some(3)));
    assert_eq!((account.n_found, account.n_kept), (4, 1));
    assert_eq!((account.n_errors, account.n_at_limit_ungraded, account.n_missing), (0, 0, 0));
    // In an evaluation that has the scorer, it counts as a run without a score does, however that is known.
    let excluded = with(of_other("d"), "invalidation", json!({"reason": "r"}));
    let crashed = with(of_other("c"), "error", json!({"message": "crash", "traceback": ""}));
    let named = json!({"scorers": [{"name": "s"}, {"name": "other"}]});
    for head in [named, json!({})] {
        let graded = with(sample("a", 1), "limit", limit.clone());
        let samples = [graded, other(), crashed.clone(), excluded.clone()];
        let why = |at_limit| {
            let rules = FactRules { at_limit, ..rules.clone() };
            ungraded(&logs(&[log(&samples, head.clone(), json!(null))], &rules).unwrap())
        };
        let others = [Some(Ungraded::Error), Some(Ungraded::Excluded)];
        let limits = |first, second| [[first, second], others].concat();
        let at_limit = Some(Ungraded::AtLimit);
        assert_eq!(why(None), limits(None, at_limit));
        assert_eq!(why(Some(AtLimit::Unknown)), limits(at_limit, at_limit));
        assert_eq!(why(Some(AtLimit::Failed)), limits(None, None));
    }
    // A limit without any score makes no failure of a run of another evaluation.
    let at_limit = json!({"id": "e", "epoch": 1, "scores": {}, "limit": limit});
    let both = [
        log(&[sample("a", 1)], of("e1"), json!(null)),
        log(&[other(), at_limit], of("e2"), json!(null)),
    ];
    for rules in [&rules, &failed] {
        let found = logs(&both, rules).unwrap();
        assert_eq!((ungraded(&found), left_out(&found)), (vec![None], Some(2)));
    }
    // What was planned counts where runs do.
    let results = json!({"scores": [{"name": "other", "scorer": "other"}]});
    let head = json!({"dataset": {"sample_ids": ["a", "b", "c"]}});
    let found = logs(&[log(&[sample("a", 1), other()], head, results)], &rules).unwrap();
    assert_eq!((found.rows().len(), found.account("").n_missing), (2, 1));
}

#[test]
fn a_date_that_is_none_orders_nothing() {
    let logs_of = (0..40).map(|at| {
        let created = if at % 3 == 0 {
            "2026-03-01Tnan:00:00".to_owned()
        } else {
            format!("2026-03-{at:02}T00:00:00")
        };
        log(
            &[sample("1", 1)],
            json!({"eval_id": at.to_string(), "task_id": at.to_string(), "created": created}),
            json!(null),
        )
    });
    let found = logs(&logs_of.collect::<Vec<_>>(), &FactRules::default()).unwrap();
    assert_eq!(found.account("").evaluations.len(), 40);
}

#[test]
fn an_error_a_refusal_and_a_missing_score_are_no_failures() {
    let error = json!({"message": "crash", "traceback": ""});
    let samples = [
        json!({"id": "a", "epoch": 1, "scores": {}, "error": error}),
        json!({"id": "b", "epoch": 1, "scores": {"s": {"value": null}}}),
        json!({"id": "c", "epoch": 1, "scores": {"s": {"value": "C"}}, "invalidation": {"reason": "r"}}),
        with(sample("d", "C"), "error", error.clone()),
    ];
    let found = table(&samples, &FactRules::default()).unwrap();
    // A grade that was given in spite of an error counts, as it does in inspect_ai.
    let wanted = [Some(Ungraded::Error), Some(Ungraded::NoScore), Some(Ungraded::Excluded), None];
    assert_eq!(ungraded(&found), wanted);
    assert_eq!(found.account("").n_errors, 2);
}

#[test]
fn an_excluded_run_ended_as_its_log_says_unless_that_could_count() {
    let stop_of = |stop: Option<StopReason>| {
        let mut run = Run::new("a");
        (run.excluded, run.stop) = (Some("broken".to_owned()), stop);
        let found = FactRules::default().judgement(&run).unwrap();
        assert_eq!((found.grade, found.ungraded), (None, Some(Ungraded::Excluded)));
        found.stop.unwrap()
    };
    for own in [StopReason::ToolError, StopReason::Other("no container".to_owned())] {
        assert_eq!(stop_of(Some(own.clone())), own);
    }
    // At a limit it would be censored, and completed it would wait for a judge.
    for counted in [None, Some(StopReason::MaxSteps), Some(StopReason::Completed)] {
        assert_eq!(stop_of(counted), StopReason::Other("broken".to_owned()));
    }
}

#[test]
fn a_retry_and_a_copy_count_once_and_the_newest_complete_one_is_kept() {
    let error = json!({"message": "crash", "traceback": ""});
    let crashed = json!({"id": "a", "epoch": 1, "uuid": "u1", "scores": {}, "error": error});
    let first =
        log(&[crashed, with(sample("b", "I"), "uuid", json!("u2"))], json!({}), json!(null));
    let newer = json!({"eval_id": "e2", "created": "2026-01-02"});
    let retried =
        [with(sample("a", "C"), "uuid", json!("u3")), with(sample("b", "I"), "uuid", json!("u2"))];
    let retry = log(&retried, newer, json!(null));
    for order in [[&first, &retry], [&retry, &first]] {
        let both = order.map(Clone::clone);
        let found = logs(&both, &FactRules::default()).unwrap();
        let outcomes: Vec<_> =
            found.rows().iter().map(|row| (row.id.as_str(), row.outcome)).collect();
        assert_eq!(outcomes, [("a", Some(true)), ("b", Some(false))]);
        let account = found.account("");
        assert_eq!((account.n_found, account.n_kept, account.n_repeats), (4, 2, 2));
        let rules = FactRules { repeats: Repeats::Keep, ..FactRules::default() };
        assert_eq!(logs(&both, &rules).unwrap().rows().len(), 4);
    }
    // Epochs, and the same sample of another evaluation or model, are runs of their own.
    let epochs = [sample("a", "C"), with(sample("a", "C"), "epoch", json!(2))];
    assert_eq!(table(&epochs, &FactRules::default()).unwrap().rows().len(), 2);
    let other = log(&[sample("a", "C")], json!({"task_id": "tid2"}), json!(null));
    let two = [log(&[sample("a", "C")], json!({}), json!(null)), other];
    assert_eq!(logs(&two, &FactRules::default()).unwrap().rows().len(), 2);
}

#[test]
fn equal_lines_of_one_id_count_once_and_runs_without_an_id_may_look_alike() {
    let rows = |lines: &[&str], rules: &FactRules| {
        common::table(runs(lines.join("\n")), rules).unwrap().rows().len()
    };
    let named = r#"{"id": "a", "outcome": true, "turns": [{"response": {"choices": [{"message": {"content": "x"}}]}}]}"#;
    let otherwise = named.replace("\"x\"", "\"y\"");
    let unnamed = named.replace("\"id\": \"a\", ", "");
    let rules = FactRules::default();
    assert_eq!(rows(&[named, named, &otherwise], &rules), 2);
    assert_eq!(rows(&[&unnamed, &unnamed], &rules), 2);
    let keep = FactRules { repeats: Repeats::Keep, ..rules };
    assert_eq!(rows(&[named, named], &keep), 2);
}

#[test]
fn what_was_planned_and_is_missing_is_known_by_name() {
    let planned = json!({"dataset": {"sample_ids": ["a", 2]}, "config": {"epochs": 2}});
    let found =
        logs(&[log(&[sample("a", "C")], planned.clone(), json!(null))], &FactRules::default());
    let (missing, n_planned) = found.unwrap().missing();
    let names: Vec<_> = missing.iter().map(|it| (it.task.as_deref().unwrap(), it.trial)).collect();
    assert_eq!(n_planned, Some(4));
    assert_eq!(names, [("t/2", Some(1)), ("t/2", Some(2)), ("t/a", Some(2))]);

    // Logs without names of samples have their number.
    let results = json!({"total_samples": 3, "scores": []});
    let found = logs(&[log(&[sample("a", "C")], json!({}), results)], &FactRules::default());
    let (missing, n_planned) = found.unwrap().missing();
    assert_eq!((missing.len(), n_planned), (2, Some(3)));

    // A log without a sample has a head all the same.
    let empty = log(&[], planned, json!(null)).to_string();
    let mut runs = read(Cursor::new(empty), Format::Auto, &ReadOptions::default()).unwrap();
    let mut table =
        RunTable::new(runs.by_ref(), &FactRules::default(), &StreamOptions::default()).unwrap();
    assert_eq!(table.missing().0.len(), 0);
    table.add_logs("empty.json", &runs).unwrap();
    assert_eq!(table.account("").n_missing, 4);
}

/// A run with every fact that the rules look at.
fn any_run() -> impl Strategy<Value = Run> {
    let score = proptest::option::of(prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0]);
    let parts = (0..4_u8, score, any::<[bool; 4]>(), proptest::option::of(0..3_u8));
    parts.prop_map(|(id, score, [limit, error, excluded, outcome], uuid)| {
        let mut run = Run::new(format!("r{id}"));
        if let Some(value) = score {
            run.scores
                .insert("s".to_owned(), Score { value: Fact::Real(value), ..Score::default() });
        }
        run.limit = limit.then(|| RunLimit { kind: "token".to_owned(), limit: None, reason: None });
        run.error = error.then(|| "crash".to_owned());
        run.excluded = excluded.then(|| "broken".to_owned());
        run.outcome = outcome.then_some(true);
        run.uuid = uuid.map(|uuid| uuid.to_string());
        run
    })
}

proptest! {
    #[test]
    fn found_is_kept_and_left_out(
        runs in proptest::collection::vec(any_run(), 0..12),
        at_limit in prop_oneof![Just(AtLimit::Graded), Just(AtLimit::Failed), Just(AtLimit::Unknown)],
        keep in any::<bool>(),
    ) {
        let repeats = if keep { Repeats::Keep } else { Repeats::Drop };
        let rules = FactRules { at_limit: Some(at_limit), repeats, ..FactRules::default() };
        let n = runs.len() as u64;
        let table =
            RunTable::new(runs.into_iter().map(Ok), &rules, &StreamOptions::default()).unwrap();
        for row in table.rows() {
            // A run has a grade or a reason why it has none, never both.
            prop_assert_eq!(row.grade.is_none(), row.ungraded.is_some());
            prop_assert!(row.outcome.is_none() || row.grade.is_some());
        }
        let mut account = table.account("");
        for row in table.rows().iter().filter_map(|row| row.ungraded) {
            account.leave_out(row.name(), 1);
        }
        let of = |account: &Account| account.n_kept + account.left_out.values().sum::<u64>();
        prop_assert_eq!(account.n_found, n);
        prop_assert_eq!(of(&account), n);
        prop_assert_eq!(account.n_kept, table.rows().iter().filter(|row| row.grade.is_some()).count() as u64);
        // So do models, and their sums.
        let columns = table.by_model().into_values().map(|model| model.account("m")).collect();
        let all = Account::of_columns(columns);
        prop_assert_eq!((all.n_found, of(&all)), (n, n));
    }
}

#[test]
fn the_outcome_of_an_exchange_may_be_a_number() {
    let of = |outcome: &str| {
        let line = format!(r#"{{"id": "a", "outcome": {outcome}, "turns": []}}"#);
        let runs = read(Cursor::new(line), Format::Exchanges, &ReadOptions::default()).unwrap();
        let table = RunTable::new(runs, &FactRules::default(), &StreamOptions::default())?;
        Ok::<_, Error>(table.rows()[0].grade)
    };
    let words = ["true", "1", "0", "0.5", "null"];
    let grades = words.map(|word| of(word).unwrap());
    assert_eq!(grades, [Some(1.0), Some(1.0), Some(0.0), Some(0.5), None]);
    assert!(of("7").unwrap_err().to_string().contains("from 7 to 7, beyond 0 to 1"));
    assert!(of("\"yes\"").unwrap_err().to_string().contains("outcome: expected true, false, null"));
}

#[test]
fn a_plan_beyond_a_million_missing_runs_is_refused() {
    for (eval, results) in [
        (json!({}), json!({"total_samples": 1_000_000_000_000_u64, "scores": []})),
        (json!({"dataset": {"sample_ids": [1]}, "config": {"epochs": 1_000_000_000}}), json!(null)),
        (json!({"dataset": {"sample_ids": [1, 2]}, "config": {"epochs": u64::MAX}}), json!(null)),
    ] {
        let log = log(&[sample("1", "C")], eval, results);
        let refused = logs(&[log], &FactRules::default()).unwrap_err().to_string();
        assert!(refused.contains("over a million more than the log has"), "{refused}");
    }
}

#[test]
fn the_newest_retry_is_that_of_the_latest_moment_whatever_its_clock() {
    let at = |id: &str, created: &str, score: &str| {
        log(&[sample("1", score)], json!({"eval_id": id, "created": created}), json!(null))
    };
    // The second began four hours after the first, and its clock shows an earlier hour.
    let first = at("a", "2026-03-01T09:00:00+05:00", "I");
    let second = at("b", "2026-03-01T08:00:00+00:00", "C");
    for both in [[first.clone(), second.clone()], [second, first]] {
        let table = logs(&both, &FactRules::default()).unwrap();
        assert_eq!((table.rows().len(), table.rows()[0].outcome), (1, Some(true)));
        let keep = FactRules { repeats: Repeats::Keep, ..FactRules::default() };
        let line = logs(&both, &keep).unwrap().account("").lines().remove(0);
        let order = "(t of m, 2026-03-01 09:00:00+05:00; t of m, 2026-03-01 08:00:00)";
        assert!(line.contains(order), "{line}");
    }
}

#[test]
fn lines_that_differ_in_log_probabilities_alone_are_two_runs() {
    let line = |logprob: f64| {
        let tokens = json!({"content": [{"token": "yes", "logprob": logprob, "top_logprobs": []}]});
        let choice = json!({"message": {"content": "yes"}, "logprobs": tokens});
        json!({"id": "a", "outcome": true, "turns": [{"response": {"choices": [choice]}}]})
            .to_string()
    };
    for (second, n) in [(-0.2, 2), (-0.1, 1)] {
        let runs = runs([line(-0.1), line(second)].join("\n"));
        assert_eq!(common::table(runs, &FactRules::default()).unwrap().rows().len(), n);
    }
}

#[test]
fn outcomes_join_a_run_and_its_retry() {
    let logs = ["a", "b"].map(|id| log(&[sample("1", "I")], json!({"eval_id": id}), json!(null)));
    let runs = logs.iter().flat_map(|log| runs(log.to_string())).map(Ok);
    let line = br#"{"id": "1", "outcome": true}"#;
    let mut outcomes = run_logs::Outcomes::read("o.jsonl", &line[..]).unwrap();
    let (rules, streams) = (FactRules::default(), StreamOptions::default());
    let table = RunTable::with_outcomes(runs, &mut outcomes, &rules, &streams).unwrap();
    assert_eq!((table.rows().len(), table.rows()[0].outcome), (1, Some(true)));
}

#[test]
fn a_run_whose_log_names_no_task_has_the_task_of_its_line() {
    let file = b"id,task,outcome\na,fix,1\nb,fix,0\nb,test,1\nc,test,1\n";
    let mut outcomes = run_logs::Outcomes::read("o.csv", &file[..]).unwrap();
    let mut joined = |id: &str, task: Option<&str>| {
        let mut run = Run::new(id);
        run.task = task.map(str::to_owned);
        outcomes.join(&mut run).unwrap();
        (run.task, run.grade)
    };
    let of = |task: &str, grade| (Some(task.to_owned()), grade);
    assert_eq!(joined("a", None), of("fix", Some(1.0)));
    // Which of two lines it is cannot be known, and a task of the log is kept.
    assert_eq!(joined("b", None), (None, None));
    assert_eq!(joined("b", Some("test")), of("test", Some(1.0)));
    assert_eq!(joined("c", Some("fix")), of("fix", None));
}

#[test]
fn a_threshold_of_scores_does_not_turn_outcomes_from_beside_the_log() {
    for least in [-5.0, 0.0, 0.5, 7.0] {
        for outcome in [true, false] {
            let mut run = Run::new("a");
            run.grade = Some(f64::from(outcome));
            let rules = FactRules::default().with_success_at(least).unwrap();
            assert_eq!(rules.judgement(&run).unwrap().outcome, Some(outcome), "{least}");
        }
    }
}

#[test]
fn own_files_follow_the_rules_for_scores_and_limits_and_say_so() {
    let read =
        |name: &str, text: &str, rules: TraceRules| TraceFile::read(name, text.as_bytes(), rules);
    let table = "id,confidence,score\na,0.9,7\nb,0.4,1\nc,0.5,10\n";
    let refused = read("t.csv", table, TraceRules::default()).unwrap_err().to_string();
    assert!(
        refused.contains("--score-range LO..HI") && refused.contains("--success-at X"),
        "{refused}"
    );
    let outcomes = |rules| {
        let file = read("t.csv", table, rules).unwrap();
        let of = |run: run_logs::TraceRun| (run.outcome, run.grade.map(|it| it.get()));
        (file.runs.iter().map(of).collect::<Vec<_>>(), file.account().success)
    };
    let at = TraceRules { success_at: Some(7.0), ..TraceRules::default() };
    let (found, success) = outcomes(at);
    assert_eq!(found, [(Some(true), None), (Some(false), None), (Some(true), None)]);
    assert_eq!(success, "a score of at least 7 (--success-at)");
    let range = ScoreRange::new(1.0, 10.0).ok();
    let (found, _) = outcomes(TraceRules { score_range: range, ..TraceRules::default() });
    assert_eq!(found, [(None, Some(6.0 / 9.0)), (Some(false), None), (Some(true), None)]);

    let lines = r#"{"id": "a", "forecasts": [0.5], "outcome": true, "stop": "max_steps"}
        {"id": "b", "forecasts": [0.5], "outcome": null, "stop": "max_steps"}
        {"id": "c", "forecasts": [0.5], "outcome": null, "grade": 0.25}"#;
    let of = |at_limit| {
        let file =
            read("t.jsonl", lines, TraceRules { at_limit, ..TraceRules::default() }).unwrap();
        let account = file.account();
        assert_eq!(account.n_partial, 1);
        let counts = [account.n_at_limit_graded, account.n_at_limit_ungraded];
        ([0, 1].map(|at| file.runs.run(at).outcome), counts)
    };
    assert_eq!(of(None), ([Some(true), None], [1, 1]));
    assert_eq!(of(Some(AtLimit::Failed)), ([Some(false); 2], [2, 0]));
    assert_eq!(of(Some(AtLimit::Unknown)), ([None; 2], [0, 2]));
}
