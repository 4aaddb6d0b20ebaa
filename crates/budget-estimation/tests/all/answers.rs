//! Answers of models, well formed, malformed and random.

use AnswerError::{
    Malformed, MissingResource, Negative, NoTag, NotFinite, Reversed, Scalar, SeveralTags,
    UnexpectedResource,
};
use AnswerMode::{Lenient, Strict};
use budget_estimation::{AnswerError, AnswerMode, Estimate, parse_answer, parse_answers};
use proptest::prelude::*;

use crate::common::interval;

fn ends(low: f64, high: f64) -> Result<Estimate, AnswerError> {
    Ok(interval(low, high))
}

#[test]
fn each_shape_is_read_or_refused_for_its_own_reason() {
    let same = |answer: Result<Estimate, AnswerError>| (answer, answer);
    let impossible = Ok(Estimate::Impossible);
    let cases = [
        ("<answer>[1, 2]</answer>", same(ends(1.0, 2.0))),
        ("<think>a < b</think><answer>[ 1.5 ,2e2]</answer> bye", same(ends(1.5, 200.0))),
        ("<answer>[0, 0]</answer>", same(ends(0.0, 0.0))),
        ("<answer>[-0, +5]</answer>", same(ends(0.0, 5.0))),
        ("<answer>[100,200]</answer>", same(ends(100.0, 200.0))),
        ("<answer>impossible</answer>", same(impossible)),
        ("impossible", same(Err(NoTag))),
        ("<answer>[1, 2]", same(Err(NoTag))),
        ("[1, 2]</answer>", same(Err(NoTag))),
        ("</answer>[1, 2]<answer>", same(Err(NoTag))),
        ("", same(Err(NoTag))),
        ("<answer></answer>", same(Err(Malformed))),
        ("<answer>5</answer>", same(Err(Scalar))),
        ("<answer>[5]</answer>", same(Err(Scalar))),
        ("<answer>[2, 1]</answer>", same(Err(Reversed { low: 2.0, high: 1.0 }))),
        ("<answer>[-1, 1]</answer>", same(Err(Negative { value: -1.0 }))),
        ("<answer>[1, inf]</answer>", same(Err(NotFinite))),
        ("<answer>[NaN, 1]</answer>", same(Err(NotFinite))),
        ("<answer>[1, 1e999]</answer>", same(Err(NotFinite))),
        ("<answer>[1, 2, 3]</answer>", same(Err(Malformed))),
        ("<answer>[1; 2]</answer>", same(Err(Malformed))),
        ("<answer>[1, 2] tokens</answer>", same(Err(Malformed))),
        ("<answer>[1, 2</answer>", same(Err(Malformed))),
        ("<answer>(1, 2)</answer>", same(Err(Malformed))),
        ("<answer>[, 2]</answer>", same(Err(Malformed))),
        ("<answer>[1, 0x10]</answer>", same(Err(Malformed))),
        ("<answer>[1, ２]</answer>", same(Err(Malformed))),
        ("<answer>not impossible</answer>", same(Err(Malformed))),
        ("<answer>tokens:[1, 2]</answer>", same(Err(Malformed))),
        // Where the modes differ.
        ("<answer> impossible </answer>", (Err(Malformed), impossible)),
        ("<answer>Impossible</answer>", (Err(Malformed), impossible)),
        ("<Answer>[1, 2]</ANSWER>", (Err(NoTag), ends(1.0, 2.0))),
        ("<answer>\n[1,\t2]\n</answer>", (Err(Malformed), ends(1.0, 2.0))),
        ("<answer>[1, 2]</answer><answer>[3, 4]</answer>", (Err(SeveralTags), ends(3.0, 4.0))),
        ("<answer>[1, 2]</answer><Answer>maybe</answer>", (Err(SeveralTags), Err(Malformed))),
        ("<answer>[1, 2]</answer><answer>[3, 4]", (Err(SeveralTags), ends(1.0, 2.0))),
        ("<answer>[1, <answer>[3, 4]</answer>", (Err(SeveralTags), ends(3.0, 4.0))),
        ("<answer>[1,200, 3,400.5]</answer>", (Err(Malformed), ends(1200.0, 3400.5))),
        ("<answer>[900, 1,200]</answer>", (Err(Malformed), ends(900.0, 1200.0))),
        ("<answer>[1_000, 2_000_000]</answer>", (Err(Malformed), ends(1e3, 2e6))),
        ("<answer>1,200</answer>", (Err(Malformed), Err(Scalar))),
        ("<answer>[1,234,5,678]</answer>", same(Err(Malformed))),
        ("<answer>[12,34, 5,678]</answer>", same(Err(Malformed))),
        ("<answer>[1000,200, 5,678]</answer>", same(Err(Malformed))),
    ];
    for (text, (strict, lenient)) in cases {
        assert_eq!(parse_answer(text, Strict), strict, "{text} in strict mode");
        assert_eq!(parse_answer(text, Lenient), lenient, "{text} in lenient mode");
    }
}

#[test]
fn several_resources_need_one_interval_each() {
    let names = ["weeks", "usd"];
    let both = |a, b| Ok(vec![interval(1.0, 2.0), interval(a, b)]);
    let same = |answer: Result<Vec<Estimate>, AnswerError>| (answer.clone(), answer);
    let unexpected = |index| Err(UnexpectedResource { index });
    let cases = [
        ("weeks:[1, 2], usd:[3, 4]", same(both(3.0, 4.0))),
        ("weeks: [1, 2],usd: [3, 4]", same(both(3.0, 4.0))),
        ("impossible", same(Ok(vec![Estimate::Impossible; 2]))),
        ("usd:[3, 4], weeks:[1, 2]", (unexpected(0), both(3.0, 4.0))),
        ("Weeks:[1, 2],\n USD:[3,000, 4,000]", (unexpected(0), both(3e3, 4e3))),
        ("weeks:[1, 2]", same(Err(MissingResource { index: 1 }))),
        ("weeks:[1, 2], weeks:[1, 2]", same(unexpected(1))),
        ("weeks:[1, 2], usd:[3, 4], cash:[5, 6]", same(unexpected(2))),
        ("weeks:[1, 2], usd:4", same(Err(Scalar))),
        ("weeks:[2, 1], usd:4", same(Err(Reversed { low: 2.0, high: 1.0 }))),
        ("weeks:[1, 2] usd:[3, 4]", same(Err(Malformed))),
        ("weeks:[1, 2], usd:[3, 4],", same(Err(Malformed))),
        ("[1, 2], [3, 4]", same(Err(Malformed))),
    ];
    for (content, (strict, lenient)) in cases {
        let text = format!("<answer>{content}</answer>");
        assert_eq!(parse_answers(&text, &names, Strict), strict, "{content} in strict mode");
        assert_eq!(parse_answers(&text, &names, Lenient), lenient, "{content} in lenient mode");
    }
}

#[test]
fn a_megabyte_of_tags_and_commas_is_read_in_one_go() {
    for part in ["<answer>", "</answer>", "<", "[", ",", ":", "a:[1, 2], "] {
        let text = part.repeat(1_000_000 / part.len());
        for text in [format!("<answer>{text}</answer>"), text] {
            for mode in [Strict, Lenient] {
                assert!(parse_answer(&text, mode).is_err());
                assert!(parse_answers(&text, &["a", "b"], mode).is_err());
            }
        }
    }
}

/// Pieces that answers are made of, and others.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = "<answer>|</answer>|<ANSWER>|[|]|,|, | |\n|1|20|300|-|.|e|_|impossible|inf|a:|b:|B:|é|<|\
                  [1, 2]|a:[1, 2]";
    let piece = prop::sample::select(pieces.split('|').collect::<Vec<_>>());
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_is_too_strange_and_what_strict_reads_lenient_reads_the_same(
        text in prop_oneof![pieces(), pieces().prop_map(|s| format!("<answer>{s}</answer>")), ".*"],
    ) {
        if let Ok(strict) = parse_answer(&text, Strict) {
            prop_assert_eq!(parse_answer(&text, Lenient), Ok(strict));
        }
        let _ = parse_answer(&text, Lenient);
        let names = ["a", "b"];
        let lenient = parse_answers(&text, &names, Lenient);
        if let Ok(strict) = parse_answers(&text, &names, Strict) {
            prop_assert_eq!(strict.len(), 2);
            prop_assert_eq!(lenient, Ok(strict));
        }
    }

    #[test]
    fn an_estimate_as_text_is_read_back_to_the_last_bit(
        low in prop_oneof![Just(-0.0), Just(f64::MAX), 0.0..1e-300_f64, 0.0..1e6_f64, 0.0..1e300_f64],
        more in prop_oneof![Just(0.0), 0.0..1e6_f64],
    ) {
        let high = (low + more).min(f64::MAX);
        let bits = |estimate: Estimate| estimate.ends().map(|e| [e.low(), e.high()].map(f64::to_bits));
        for estimate in [interval(low, high), Estimate::Impossible] {
            for mode in [Strict, Lenient] {
                let exponents = match estimate {
                    Estimate::Interval(_) => format!("[{low:e},{high:e}]"),
                    other => other.to_string(),
                };
                for written in [estimate.to_string(), exponents] {
                    let read = parse_answer(&format!("<answer>{written}</answer>"), mode).unwrap();
                    prop_assert_eq!(read, estimate);
                    prop_assert_eq!(bits(read), bits(estimate));
                }
                let both = format!("<answer>weeks:{estimate}, usd:{estimate}</answer>");
                let read = parse_answers(&both, &["weeks", "usd"], mode);
                if estimate == Estimate::Impossible {
                    prop_assert!(read.is_err());
                } else {
                    prop_assert_eq!(read, Ok(vec![estimate; 2]));
                }
            }
        }
        let none = format!("<answer>{}</answer>", Estimate::NoAnswer);
        prop_assert_eq!(parse_answer(&none, Lenient), Err(Malformed));
    }
}

/// Point answers of appendix B.3, read as intervals without width.
#[test]
fn a_point_answer_keeps_its_value_in_the_mode_that_accepts_it() {
    let point = |value: f64| ends(value, value);
    for (text, expected) in [
        ("<answer>400</answer>", point(400.0)),
        ("<answer> 1,200 </answer>", point(1200.0)),
        ("<Answer>[400]</Answer>", point(400.0)),
        ("<answer>0</answer>", point(0.0)),
        ("<answer>-3</answer>", Err(Negative { value: -3.0 })),
        ("<answer>inf</answer>", Err(NotFinite)),
        ("<answer>400, 500</answer>", Err(Malformed)),
        ("<answer>about 400</answer>", Err(Malformed)),
        ("<answer>[300, 450]</answer>", ends(300.0, 450.0)),
    ] {
        assert_eq!(parse_answer(text, AnswerMode::LenientPoints), expected, "{text}");
    }
    let text = "<answer>weeks:2, cost_usd:1,300, items:[5, 7]</answer>";
    let read = parse_answers(text, &["weeks", "cost_usd", "items"], AnswerMode::LenientPoints);
    let expected = [(2.0, 2.0), (1300.0, 1300.0), (5.0, 7.0)];
    let expected = expected.map(|(low, high)| interval(low, high));
    assert_eq!(read, Ok(expected.to_vec()));
    for mode in [Strict, Lenient] {
        assert_eq!(parse_answers(text, &["weeks"], mode), Err(Malformed), "{mode:?}");
    }
}

/// Appendix B.3: a point estimate predicts success exactly if it stays under the cap.
#[test]
fn a_point_answer_collapses_to_a_label_at_the_cap() {
    let point = parse_answer("<answer>2400</answer>", AnswerMode::LenientPoints).unwrap();
    for (left, is_impossible) in
        [(Some(2500.0), false), (Some(2400.0), false), (Some(2399.0), true), (None, false)]
    {
        assert_eq!(point.predicts_impossible(left), is_impossible, "{left:?}");
    }
    assert!(!Estimate::NoAnswer.predicts_impossible(Some(0.0)));
}
