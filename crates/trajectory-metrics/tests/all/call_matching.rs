//! Matching compared with brute force on all pairs of short lists, and with simple algorithms on
//! longer lists.
use proptest::prelude::*;
use trajectory_metrics::Error;
use trajectory_metrics::tool_calls::{
    Alignment, ArgumentRule, CallMatcher, MatchMode, ToolCall, ToolCallMatcher, Value,
    call_matcher_from_fn, match_calls,
};

const MODES: [MatchMode; 5] = [
    MatchMode::Exact,
    MatchMode::InOrder,
    MatchMode::AnyOrder,
    MatchMode::Subset,
    MatchMode::Unordered,
];

/// Three tools, one of them with different arguments.
fn calls() -> [ToolCall; 5] {
    let none: [(&str, Value); 0] = [];
    [
        ToolCall::new("a", none.clone()),
        ToolCall::new("a", [("x", 1.into())]),
        ToolCall::new("a", [("y", 2.into())]),
        ToolCall::new("b", none.clone()),
        ToolCall::new("c", none),
    ]
}

/// All lists of up to `longest` of the entries.
fn lists<T: Clone>(entries: &[T], longest: usize) -> Vec<Vec<T>> {
    let mut lists = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..longest {
        let end = lists.len();
        for i in start..end {
            for entry in entries {
                let mut list = lists[i].clone();
                list.push(entry.clone());
                lists.push(list);
            }
        }
        start = end;
    }
    lists
}

/// All ways to assign expected calls to different calls that satisfy them, or to no call.
fn assignments(fits: &[Vec<bool>], expected: usize, found: &mut impl FnMut(&[Option<usize>])) {
    fn extend(
        fits: &[Vec<bool>],
        expected: usize,
        chosen: &mut Vec<Option<usize>>,
        found: &mut impl FnMut(&[Option<usize>]),
    ) {
        if chosen.len() == expected {
            return found(chosen);
        }
        chosen.push(None);
        extend(fits, expected, chosen, found);
        chosen.pop();
        for call in 0..fits.len() {
            if fits[call][chosen.len()] && !chosen.contains(&Some(call)) {
                chosen.push(Some(call));
                extend(fits, expected, chosen, found);
                chosen.pop();
            }
        }
    }
    extend(fits, expected, &mut Vec::new(), found);
}

fn table<A, E>(actual: &[A], expected: &[E], matcher: &impl CallMatcher<A, E>) -> Vec<Vec<bool>> {
    let row = |call: &A| {
        expected.iter().map(|expected| matcher.satisfies(call, expected).unwrap()).collect()
    };
    actual.iter().map(row).collect()
}

/// The largest number of pairs, and the verdict of each mode, by brute force.
fn by_brute_force(fits: &[Vec<bool>], expected: usize) -> (usize, [bool; 5]) {
    let mut verdicts = [false; 5];
    let mut most = 0;
    assignments(fits, expected, &mut |chosen| {
        let pairs: Vec<usize> = chosen.iter().copied().flatten().collect();
        let complete = pairs.len() == expected;
        let sparse = pairs.len() == fits.len();
        let ordered = pairs.is_sorted();
        most = most.max(pairs.len());
        verdicts[0] |= complete && sparse && ordered;
        verdicts[1] |= complete && ordered;
        verdicts[2] |= complete;
        verdicts[3] |= sparse;
        verdicts[4] |= complete && sparse;
    });
    (most, verdicts)
}

/// Checks the rules of every alignment.
fn check(alignment: &Alignment, fits: &[Vec<bool>], expected: usize) {
    let matched = &alignment.matched;
    assert!(matched.iter().all(|&(call, expected)| fits[call][expected]));
    assert!(matched.is_sorted_by(|a, b| a.0 < b.0), "each call once, in order");
    let mut satisfied: Vec<usize> = matched.iter().map(|pair| pair.1).collect();
    satisfied.extend(&alignment.missing);
    satisfied.sort_unstable();
    assert_eq!(satisfied, (0..expected).collect::<Vec<_>>(), "each expected call once");
    let mut used: Vec<usize> = matched.iter().map(|pair| pair.0).collect();
    used.extend(&alignment.extra);
    used.sort_unstable();
    assert_eq!(used, (0..fits.len()).collect::<Vec<_>>());
    assert!(alignment.out_of_order.iter().all(|pair| matched.contains(pair)));
}

/// The length of the longest increasing subsequence, by brute force.
fn longest_increasing(values: &[usize]) -> usize {
    (0..1_u32 << values.len())
        .map(|mask| {
            let part = (0..values.len()).filter(|i| mask >> i & 1 == 1).map(|i| values[i]);
            if part.clone().is_sorted_by(|a, b| a < b) { part.count() } else { 0 }
        })
        .max()
        .unwrap()
}

fn compare_with_brute_force(entries: &[ToolCall], rule: ArgumentRule, longest: usize) -> [u32; 5] {
    let matcher = ToolCallMatcher::new(rule);
    let lists = lists(entries, longest);
    let mut matches = [0; 5];
    for actual in &lists {
        for expected in &lists {
            let alignment = match_calls(actual, expected, &matcher).unwrap();
            let fits = table(actual, expected, &matcher);
            check(&alignment, &fits, expected.len());
            let (most, verdicts) = by_brute_force(&fits, expected.len());
            let found = MODES.map(|mode| alignment.is_match(mode));
            assert_eq!(found, verdicts, "{actual:?} {expected:?}");
            assert_eq!(alignment.matched.len(), most, "{actual:?} {expected:?}");
            let order: Vec<usize> = alignment.matched.iter().map(|pair| pair.1).collect();
            assert_eq!(alignment.out_of_order.len(), most - longest_increasing(&order));
            for (count, found) in matches.iter_mut().zip(found) {
                *count += u32::from(found);
            }
        }
    }
    matches
}

#[test]
fn a_misspelt_field_is_an_error_even_if_one_side_is_not_a_map() {
    let expected = ToolCall::new("pay", [("amount", 5.into())]).arguments;
    let text = Value::from("{\"amount\": 5");
    for (actual, expected) in [(&text, &expected), (&expected, &text), (&Value::Null, &expected)] {
        let misspelt = ArgumentRule::fields(["amuont"]).unwrap().agrees(actual, expected);
        assert!(
            matches!(misspelt, Err(Error::UnknownField { tool: None, field, .. }) if field == "amuont")
        );
        assert_eq!(ArgumentRule::fields(["amount"]).unwrap().agrees(actual, expected), Ok(false));
    }
}

#[test]
fn a_path_may_contain_names_with_dots_and_is_split_equally_on_both_sides() {
    let map = |name: &str, value: Value| Value::Map([(name.to_owned(), value)].into());
    let agrees = |path: &str, actual: &Value, expected: &Value| {
        ArgumentRule::fields([path]).unwrap().agrees(actual, expected)
    };
    let inside = |value: i64| map("a.b", map("c", value.into()));
    assert_eq!(agrees("a.b.c", &inside(1), &inside(1)), Ok(true));
    assert_eq!(agrees("a.b.c", &inside(1), &inside(2)), Ok(false));
    // The same path, but not the same arguments.
    let (nested, dotted) = (map("a", map("b", 1.into())), map("a.b", 1.into()));
    assert_eq!(agrees("a.b", &nested, &nested), Ok(true));
    assert_eq!(agrees("a.b", &dotted, &dotted), Ok(true));
    assert_eq!(agrees("a.b", &nested, &dotted), Ok(false));
    assert_eq!(agrees("a.b", &dotted, &nested), Ok(false));
    let (list, by_name) = (map("l", vec![1.into()].into()), map("l", map("0", 1.into())));
    assert_eq!(agrees("l.0", &list, &list), Ok(true));
    assert_eq!(agrees("l.0", &list, &by_name), Ok(false));
    assert_eq!(agrees("l.0", &by_name, &list), Ok(false));
    for field in ["l.00", "l.+0", "l.", "l.1"] {
        let error = agrees(field, &list, &list);
        assert!(matches!(error, Err(Error::UnknownField { .. })), "{field}: {error:?}");
    }
    // A map may have a position's name with a leading zero.
    let zeros = map("l", map("00", 1.into()));
    assert_eq!(agrees("l.00", &zeros, &zeros), Ok(true));
}

#[test]
fn every_mode_agrees_with_brute_force_on_all_pairs_of_lists_up_to_length_4_over_3_tools() {
    let [_, a, _, b, c] = calls();
    let matches = compare_with_brute_force(&[a, b, c], ArgumentRule::exact(), 4);
    // There are 121 lists, and each matches itself exactly.
    assert_eq!(matches[0], 121);
    // Rearrangements match too, and the modes differ.
    assert!(matches[4] > 121 && matches[1] < matches[2] && matches[2] == matches[3]);
}

#[test]
fn every_mode_agrees_with_brute_force_if_the_first_fit_is_not_the_best() {
    // With the superset rule, a call with an argument also satisfies a call without arguments.
    let [none, x, _, b, _] = calls();
    let entries = [none, x, b];
    let matches = compare_with_brute_force(&entries, ArgumentRule::superset(), 4);
    assert!(matches[0] > 121);
    let mirrored = compare_with_brute_force(&entries, ArgumentRule::subset(), 4);
    assert_eq!(matches[0], mirrored[0]);
    compare_with_brute_force(&calls(), ArgumentRule::superset(), 3);
}

/// Random tables of which call satisfies which expected call.
fn fits(calls: usize, expected: usize) -> impl Strategy<Value = Vec<Vec<bool>>> {
    (0.02..0.6_f64).prop_flat_map(move |share| {
        let row = prop::collection::vec(prop::bool::weighted(share), expected);
        prop::collection::vec(row, 0..=calls)
    })
}

fn align(fits: &[Vec<bool>], expected: usize) -> Alignment {
    let calls: Vec<usize> = (0..fits.len()).collect();
    let expected: Vec<usize> = (0..expected).collect();
    match_calls(&calls, &expected, &call_matcher_from_fn(|&a: &usize, &e: &usize| fits[a][e]))
        .unwrap()
}

/// The size of the largest matching, one path at a time.
fn largest_matching(fits: &[Vec<bool>], expected: usize) -> usize {
    fn place(fits: &[Vec<bool>], call: usize, of: &mut [Option<usize>], seen: &mut [bool]) -> bool {
        for e in 0..of.len() {
            if fits[call][e] && !std::mem::replace(&mut seen[e], true) {
                let free = of[e].is_none_or(|other| place(fits, other, of, seen));
                if free {
                    of[e] = Some(call);
                    return true;
                }
            }
        }
        false
    }
    let mut of = vec![None; expected];
    (0..fits.len()).filter(|&call| place(fits, call, &mut of, &mut vec![false; expected])).count()
}

/// The length of the longest common subsequence, by the textbook's table.
fn longest_common_subsequence(fits: &[Vec<bool>], expected: usize) -> usize {
    let mut table = vec![vec![0; expected + 1]; fits.len() + 1];
    for i in 0..fits.len() {
        for j in 0..expected {
            table[i + 1][j + 1] =
                if fits[i][j] { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
        }
    }
    table[fits.len()][expected]
}

proptest! {
    #[test]
    fn long_lists_have_as_many_pairs_as_possible(fits in fits(90, 150)) {
        let alignment = align(&fits, 150);
        check(&alignment, &fits, 150);
        prop_assert_eq!(alignment.matched.len(), largest_matching(&fits, 150));
        let in_order = longest_common_subsequence(&fits, 150);
        prop_assert_eq!(alignment.is_match(MatchMode::InOrder), in_order == 150);
    }

    #[test]
    fn all_expected_calls_are_matched_in_order_if_possible(
        fits in fits(90, 30),
        places in prop::collection::btree_set(0..120_usize, 30),
    ) {
        // Extra calls around thirty that fit in order.
        let mut fits = fits;
        fits.resize(120, vec![false; 30]);
        for (expected, place) in places.into_iter().enumerate() {
            fits[place][expected] = true;
        }
        let alignment = align(&fits, 30);
        prop_assert!(alignment.is_match(MatchMode::InOrder));
        prop_assert!(alignment.out_of_order.is_empty());
    }

    #[test]
    fn no_pair_is_out_of_order_if_a_list_in_order_has_as_many_pairs(
        (expected, fits) in (1..300_usize).prop_flat_map(|n| (Just(n), fits(40, n))),
        // Words in which nothing fits pass a carry on.
        blank in 0..400_usize,
    ) {
        let mut fits = fits;
        for row in &mut fits {
            row.iter_mut().skip(blank).take(130).for_each(|fits| *fits = false);
        }
        let alignment = align(&fits, expected);
        check(&alignment, &fits, expected);
        if longest_common_subsequence(&fits, expected) == alignment.matched.len() {
            prop_assert!(alignment.out_of_order.is_empty());
        }
    }

}

#[test]
fn more_calls_than_bits_in_a_word_are_paired_in_order() {
    let (actual, expected): (Vec<usize>, Vec<usize>) =
        ((0..150).map(|i| i * 2).collect(), (0..200).collect());
    let same = call_matcher_from_fn(|a: &usize, e: &usize| a == e);
    let alignment = match_calls(&actual, &expected, &same).unwrap();
    let even: Vec<(usize, usize)> = (0..100).map(|i| (i, 2 * i)).collect();
    assert_eq!((alignment.matched, alignment.out_of_order), (even, vec![]));
    let any = call_matcher_from_fn(|_: &usize, _: &usize| true);
    let alignment = match_calls(&actual, &expected, &any).unwrap();
    assert_eq!(alignment.matched, (0..150).map(|i| (i, i)).collect::<Vec<_>>());
}

#[test]
fn a_rule_with_a_field_that_no_call_has_is_an_error_of_matching() {
    let called =
        [ToolCall::new("look", [("at", 1.into())]), ToolCall::new("book", [("day", 2.into())])];
    let matcher = ToolCallMatcher::new(ArgumentRule::exact())
        .with_tool("book", ArgumentRule::fields(["dya"]).unwrap());
    let unknown = match_calls(&called, &called, &matcher).unwrap_err();
    let Error::UnknownField { tool: Some(tool), field, .. } = &unknown else { panic!("{unknown}") };
    assert_eq!((&**tool, &**field), ("book", "dya"));
    assert!(unknown.to_string().starts_with("field \"dya\" is neither in the call of \"book\""));
    // Calls of other tools need not have it.
    assert!(match_calls(&called[..1], &called, &matcher).unwrap().is_match(MatchMode::Subset));

    // If the expected call has the field, no output of an agent causes the error.
    let matcher = ToolCallMatcher::new(ArgumentRule::fields(["day"]).unwrap());
    let none: [(&str, Value); 0] = [];
    let empty = [ToolCall::new("book", none)];
    let alignment = match_calls(&empty, &called[1..], &matcher).unwrap();
    assert_eq!((alignment.missing, alignment.extra), (vec![0], vec![0]));
}
