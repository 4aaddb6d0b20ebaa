//! Questions are read from JSON Lines, answers are checked as a careful person would, and texts have places to fill in.

use agent_benchmarks::{Attempted, Checker, Template, read_questions};

fn problem(line: &str) -> String {
    let text = format!("{{\"id\": \"first\", \"text\": \"?\", \"answer\": 1}}\n\n{line}");
    let error = read_questions(&text).unwrap_err().to_string();
    error.strip_prefix("line 3: ").unwrap_or_else(|| panic!("{line}: {error}")).to_owned()
}

#[test]
fn each_kind_of_answer_has_its_checker_and_a_recorded_attempt_is_kept() {
    let questions = read_questions(
        r#"{"problem": 7, "text": "a", "answer": 2.5, "tolerance": 0.1, "value": 3}
           {"id": "b", "question": "b", "answer": "Bern", "output_tokens": 90, "solved": false}
           {"id": "c", "text": "c", "answer": "B", "options": ["x", "y"], "other": null}
           {"id": "d", "text": "d", "answer": 0, "options": ["x", "y"]}
           {"id": "e", "text": "e", "answer": "y", "options": ["x", "y"]}"#,
    )
    .unwrap();
    assert_eq!((questions[0].id.as_str(), questions[0].value), ("7", 3.0));
    assert_eq!(questions[0].checker, Checker::Numeric { answer: 2.5, tolerance: 0.1 });
    assert_eq!(questions[1].recorded, Some(Attempted { output_tokens: 90, solved: false }));
    let places = questions[2..].iter().map(|question| match &question.checker {
        Checker::Choice { answer, .. } => *answer,
        other => panic!("{other:?}"),
    });
    assert_eq!(places.collect::<Vec<_>>(), [1, 0, 1]);
}

#[test]
fn each_fault_of_a_line_is_named_with_its_line() {
    for (line, part) in [
        ("{", "EOF"),
        ("[1]", "one JSON object"),
        (r#"{"text": "?", "answer": 1}"#, "\"id\" or \"problem\" is missing"),
        (r#"{"id": null, "text": "?", "answer": 1}"#, "the id must be"),
        (r#"{"id": "b", "answer": 1}"#, "\"text\" or \"question\" is missing"),
        (r#"{"id": "b", "text": 1, "answer": 1}"#, "the text must be"),
        (r#"{"id": "b", "text": "?"}"#, "\"answer\" is missing"),
        (r#"{"id": "b", "text": "?", "answer": ""}"#, "the answer must be"),
        (r#"{"id": "b", "text": "?", "answer": 1, "tolerance": -1}"#, "tolerance is -1"),
        (r#"{"id": "b", "text": "?", "answer": 1, "value": "x"}"#, "value is"),
        (r#"{"id": "b", "text": "?", "answer": 1, "solved": true}"#, "belong together"),
        (r#"{"id": "b", "text": "?", "answer": 1, "solved": true, "output_tokens": 1.5}"#, "whole"),
        (r#"{"id": "b", "text": "?", "answer": "A", "options": ["x"]}"#, "there are 1 options"),
        (
            r#"{"id": "b", "text": "?", "answer": "C", "options": ["x", "y"]}"#,
            "none of the options",
        ),
        (r#"{"id": "b", "text": "?", "answer": 2, "options": ["x", "y"]}"#, "none of the options"),
        (r#"{"id": "b", "text": "?", "answer": 0, "options": "xy"}"#, "a list of texts"),
        (r#"{"id": "first", "text": "?", "answer": 1}"#, "occurs twice"),
        (r#"{"id": "b", "text": "?", "answer": 1, "answer": 2}"#, "the key answer occurs twice"),
    ] {
        let problem = problem(line);
        assert!(problem.contains(part), "{line}: {problem}");
    }
}

#[test]
fn numbers_are_read_with_signs_groups_and_exponents_but_not_out_of_sentences() {
    let checker = |answer| Checker::Numeric { answer, tolerance: 1e-9 };
    for (answer, text) in [
        (-3.5, "-3.5"),
        (1_234_567.0, "1,234,567"),
        (0.5, ".5"),
        (20.0, "+20."),
        (-1200.0, "-$1,200"),
        (1e3, "1e3"),
    ] {
        assert!(checker(answer).is_right(text), "{text}");
    }
    for text in
        ["12,34", "1,2345", ",123", "1.000,5", "nan", "inf", "", "three", "3 apples", "$-3", "--3"]
    {
        assert!(
            ![0.0, 3.0, 1234.0, -3.0].iter().any(|answer| checker(*answer).is_right(text)),
            "{text}"
        );
    }
}

#[test]
fn a_choice_is_a_letter_or_a_text_and_both_must_agree() {
    let options = ["B", "pear", "fig", "Fig."].map(str::to_owned).to_vec();
    let is =
        |answer, text: &str| Checker::Choice { options: options.clone(), answer }.is_right(text);
    // A letter is the letter of an option, also where it is the text of another one.
    assert!(is(1, "B") && !is(0, "B") && is(0, "A"));
    assert!(is(1, "pear") && is(1, "[b]") && is(1, "b)") && is(1, "B) pear") && !is(1, "A) pear"));
    // Two options with one text cannot be told apart by it.
    assert!(!is(2, "fig") && !is(3, "fig") && is(2, "C") && is(3, "D. fig"));
    assert!(!is(0, "E") && !is(0, "") && !is(0, "none") && !is(0, "é"));
}

#[test]
fn a_byte_order_mark_in_front_is_passed_over() {
    let questions = read_questions("\u{feff}{\"id\": 1, \"text\": \"?\", \"answer\": 2}").unwrap();
    assert_eq!(questions[0].id, "1");
}

#[test]
fn values_stay_as_they_are_and_other_braces_are_text() {
    let text = "{a}{b}{a} { \"plan\": [{\"id\": \"<id>\"}] } {} {not closed";
    let template = Template::new(text, &["a", "b"]).unwrap();
    let filled = template.fill(|name| if name == "a" { "{b}".into() } else { "ü".into() });
    assert_eq!(filled, "{b}ü{b} { \"plan\": [{\"id\": \"<id>\"}] } {} {not closed");
    assert_eq!(template.text(), text);
}

#[test]
fn a_place_that_nothing_fills_is_refused() {
    let error = Template::new("{domain} and {Budget}", &["domain", "budget"]).unwrap_err();
    assert_eq!(error.to_string(), "the text has the place {Budget}; known: domain, budget");
}
