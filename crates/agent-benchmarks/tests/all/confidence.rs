//! Stated confidence and log-probabilities of the same replies become streams, and streams figures.

use std::cell::RefCell;

use agent_benchmarks::{
    Checker, Conversation, Error, Figures, Intervals, Level, ModelError, Question, Reply,
    ReplyEvent, Request, Role, Seed, StopReason, Tokens,
    confidence::{
        Confidence, ConfidenceFigures, ConfidenceRecord, ConfidenceStream, Corpus, Dataset,
        FollowUp, MissingValue, uprop,
    },
    converse, read_questions,
};
use scoring_rules::Probability;
use trajectory_metrics::{LogScore, NoInterval, Tps, Trace, WeightSchedule};

const STATED: ConfidenceStream = ConfidenceStream::StatedConfidence;

fn step(action: &str, confidence: &str) -> Reply {
    Reply::from(format!(
        "<thought>Hm.</thought>\n<action>{action}</action>\n<confidence>{confidence}</confidence>"
    ))
}

/// A reply whose tokens all have this probability, the tokens of its action another one.
fn with_tokens(mut reply: Reply, probability: f64, of_action: f64) -> Reply {
    let mut tokens = Tokens::default();
    let (before, rest) = reply.text.split_once("<action>").unwrap();
    let (action, after) = rest.split_once("</action>").unwrap();
    for (text, probability) in [
        (before, probability),
        ("<action>", probability),
        (action, of_action),
        ("</action>", probability),
        (after, probability),
    ] {
        tokens.push(text.as_bytes(), f64::ln(probability));
        tokens.push_alternative(text.as_bytes(), f64::ln(probability));
    }
    reply.tokens = Some(tokens);
    reply
}

fn run(question: &Question, replies: impl IntoIterator<Item = Reply>) -> ConfidenceRecord {
    played(&Confidence::new(4).unwrap(), question, replies)
}

fn played(
    setting: &Confidence,
    question: &Question,
    replies: impl IntoIterator<Item = Reply>,
) -> ConfidenceRecord {
    let mut replies = replies.into_iter();
    let model = |_: &Request| replies.next().ok_or_else(|| ModelError::new("no more"));
    converse(setting.instance(question).conversation(), model).unwrap()
}

fn values(record: &ConfidenceRecord, stream: ConfidenceStream) -> Vec<f64> {
    let forecasts = record.forecasts(stream).unwrap().unwrap();
    forecasts.iter().map(|forecast| forecast.get()).collect()
}

fn yes() -> Question {
    Question::new("q", "Is ice lighter than water?", Checker::YesNo { answer: true })
}

#[test]
fn yes_no_choice_numeric_and_exact_questions_are_judged_by_their_checkers() {
    let questions = read_questions(
        r#"{"id": "yes/no", "text": "Is ice lighter than water?", "answer": true}
           {"id": "choice", "text": "Which is a metal?", "options": ["tin", "ice"], "answer": "tin"}
           {"id": "number", "text": "How many days has a year?", "answer": 365, "tolerance": 0.3}
           {"id": "exact", "text": "Which gas do plants take up?", "answer": "Carbon dioxide"}"#,
    )
    .unwrap();
    let cases = [("Yes", "no"), ("A. tin", "B"), ("365.25", "366"), ("carbon  dioxide.", "carbon")];
    for (question, (right, wrong)) in questions.iter().zip(cases) {
        let outcome = |answer: &str| {
            let record = run(question, [step(&format!("answer: {answer}"), "0.5")]);
            (record.record.run.outcome, record.record.run.stop)
        };
        assert_eq!(outcome(right), (Some(true), Some(StopReason::Completed)), "{}", question.id);
        assert_eq!(outcome(wrong), (Some(false), Some(StopReason::Completed)), "{}", question.id);
    }
}

#[test]
fn stated_and_token_streams_come_from_the_same_replies() {
    let replies = [
        with_tokens(step("continue", "0.5"), 0.9, 0.3),
        with_tokens(step("continue", "60%"), 0.8, 0.4),
        with_tokens(step("answer: yes", "0.95"), 0.7, 0.6),
    ];
    let record = run(&yes(), replies);
    assert_eq!(values(&record, STATED), [0.5, 0.6, 0.95]);
    let means = values(&record, ConfidenceStream::TokenProbability);
    for (mean, (others, action)) in means.iter().zip([(0.9, 0.3), (0.8, 0.4), (0.7, 0.6)]) {
        assert!((mean - (4.0 * others + action) / 5.0).abs() < 1e-12, "{means:?}");
    }
    let actions = values(&record, ConfidenceStream::ActionTokenProbability);
    for (found, wanted) in actions.iter().zip([0.3, 0.4, 0.6]) {
        assert!((found - wanted).abs() < 1e-12, "{actions:?}");
    }
    // One alternative per token is too few for an entropy over five.
    let entropy = record.forecasts(ConfidenceStream::Entropy).unwrap();
    assert!(matches!(entropy, Err((1, MissingValue::FewerThanFive { .. }))), "{entropy:?}");
}

#[test]
fn an_action_goes_on_or_answers_and_anything_else_is_a_fault() {
    let setting = Confidence::new(4).unwrap();
    let reply = |action: &str| Reply::from(format!("{action}<confidence>0.5</confidence>"));
    for action in ["<action> Continue. </action>", "<action>continue</action>"] {
        assert_eq!(setting.problem_in(&reply(action)), None, "{action}");
    }
    for (action, answer) in [
        ("<action>answer: yes</action>", "yes"),
        ("<action>Answer : 4.5</action>", "4.5"),
        ("<action>continue</action><action>answer: B</action>", "B"),
    ] {
        assert_eq!(run(&yes(), [reply(action)]).answer.as_deref(), Some(answer), "{action}");
    }
    for action in [
        "answer: yes",
        "<action>answer: yes",
        "<action>answer:</action>",
        "<action>answers</action>",
        "<action>Finish[yes]</action>",
    ] {
        assert!(setting.problem_in(&reply(action)).is_some(), "{action}");
    }
}

#[test]
fn with_pages_the_published_actions_are_read_and_with_their_explanation_if_it_is_needed() {
    let corpus = || Corpus::read(r#"{"title": "Ice", "text": "Ice floats."}"#).unwrap();
    let setting = Confidence::published(Dataset::StrategyQa).with_corpus(corpus());
    let strict = setting.clone().with_explanation(true);
    let reply = |action: &str, rest: &str| {
        Reply::from(format!("<action>{action}</action><confidence>0.5</confidence>{rest}"))
    };
    for action in ["Search[ice]", "Lookup[floats]", "Click[Ice]", "Finish[yes]", "Search[a[1]]"] {
        assert_eq!(setting.problem_in(&reply(action, "")), None, "{action}");
        let missing = strict.problem_in(&reply(action, ""));
        assert!(missing.is_some_and(|it| it.contains("<explanation>")), "{action}");
        let empty = strict.problem_in(&reply(action, "<explanation> </explanation>"));
        assert_eq!(empty.as_deref(), Some("the explanation is empty"));
        let whole = reply(action, "<explanation>It is ice.</explanation>");
        assert_eq!(strict.problem_in(&whole), None, "{action}");
    }
    for action in ["continue", "answer: yes", "Search[]", "Search ice", "search[ice]", "Buy[ice]"] {
        assert!(setting.problem_in(&reply(action, "")).is_some(), "{action}");
    }
}

#[test]
fn pages_are_searched_opened_by_their_links_and_looked_up() {
    let corpus = Corpus::read(
        r#"{"title": "Bern", "text": "Bern is a city. The city lies on a river.", "links": ["Aare"]}
           {"title": "Aare", "text": "The Aare flows north. It is a river of 288 km."}
           {"title": "River", "text": "A river, any river, is a river."}"#,
    )
    .unwrap();
    // By hand: `river` is in all three pages, most often in the shortest.
    let ranked: Vec<_> = corpus.search("RIVER", 3).map(|page| page.title.as_str()).collect();
    assert_eq!(ranked[0], "River");
    assert_eq!(
        corpus.search("city river", 1).next().unwrap().title,
        "Bern",
        "rare words weigh more"
    );
    assert_eq!(corpus.search("volcano", 3).count(), 0);
    // One rare word, at ln(1 + 3.5 / 1.5) = 1.2, outweighs a common one, at ln(1 + 1.5 / 3.5) = 0.36, however often it is
    // there; of pages that have a word equally often, the shorter is first.
    let common = Corpus::read(
        r#"{"title": "a", "text": "lake and lake and more of it"}
           {"title": "b", "text": "lake lake lake lake"}
           {"title": "c", "text": "lake and lake"}
           {"title": "d", "text": "a glacier"}"#,
    )
    .unwrap();
    let ranked: Vec<_> = common.search("lake glacier", 4).map(|page| page.title.as_str()).collect();
    assert_eq!(ranked, ["d", "b", "c", "a"]);

    let setting = Confidence::new(9).unwrap().with_corpus(corpus).with_results(1, 20).unwrap();
    let actions = [
        ("Lookup[river]", "no sentence of the pages on display has \"river\""),
        ("Search[volcano]", "no page has any of these words"),
        ("Search[city]", "[Bern] Bern is a city. The Links: Aare."),
        // A lookup reads the whole page, and is cut, too.
        ("Lookup[LIES]", "The city lies on a r"),
        ("Click[River]", "no page on display links to a page \"River\""),
        ("Click[aare]", "[Aare] The Aare flows north"),
        ("Lookup[288]", "It is a river of 288"),
    ];
    let question = Question::new("q", "?", Checker::Exact { answer: "Aare".to_owned() });
    let instance = setting.instance(&question);
    let mut conversation = instance.conversation();
    for (number, (action, found)) in (1..).zip(actions) {
        conversation.reply(step(action, "0.5")).unwrap();
        let messages = &conversation.request().unwrap().messages;
        let left = 9 - number;
        let wanted = format!("Observation: {found}\n\n{left} steps are left. Take the next one.");
        assert_eq!(messages.last().unwrap().text, wanted, "{action}");
    }
    conversation.reply(step("Finish[Aare]", "0.5")).unwrap();
    assert_eq!(conversation.finish().record.run.outcome, Some(true));
    let wrong = Corpus::read("{\"title\": \"a\", \"text\": \"\"}\n{\"title\": \"b\"}");
    assert!(wrong.unwrap_err().to_string().starts_with("line 2: "));
}

#[test]
fn a_stream_of_the_callers_own_is_scored_beside_the_others() {
    let records = ten(|_| 0.6);
    let half = |steps| FollowUp {
        streams: vec![("coin".to_owned(), Ok(vec![Probability::HALF; steps]))],
        ..FollowUp::default()
    };
    let short = ConfidenceFigures::of([(&records[0], &half(1))], HOW);
    assert!(matches!(short, Err(Error::ScoringRules(scoring_rules::Error::Length { .. }))));
    let rows = rows(&records, &half(2));
    let coin = rows.iter().find(|row| row.stream.name() == "coin").unwrap();
    let complete = coin.complete.as_ref().unwrap();
    assert_eq!((complete.traces.len(), value(&complete.figures, "tps_brier")), (10, -0.25));
    let one = ConfidenceFigures::of([(&records[0], &half(2))], HOW).unwrap();
    let one = one.into_iter().find_map(|row| row.complete).unwrap();
    let few = Err(NoInterval::too_few(1, HOW.level));
    assert!(one.figures.iter().flat_map(|(_, figure)| figure).all(|it| it.interval == few));
    let shares: Vec<_> = coin
        .figures
        .iter()
        .map(|(measure, it)| (measure.key, it.as_ref().unwrap().value))
        .collect();
    assert_eq!(shares, [("accuracy", 0.7), ("solved", 0.7)]);
}

#[test]
fn each_request_has_the_steps_so_far_and_asks_for_log_probabilities() {
    let seen = RefCell::new(Vec::new());
    let model = |request: &Request| {
        assert_eq!(request.top_logprobs, Some(5));
        assert!(
            request.messages[1].text.contains("lighter than water?\n\nThe answer is yes or no.")
        );
        let last = request.messages.last().unwrap();
        assert_eq!(last.role, Role::User);
        seen.borrow_mut().push((request.messages.len(), last.text.clone()));
        Ok(step("continue", "0.5"))
    };
    let record =
        converse(Confidence::new(3).unwrap().instance(&yes()).conversation(), model).unwrap();
    let seen = seen.into_inner();
    assert_eq!(seen.iter().map(|(count, _)| *count).collect::<Vec<_>>(), [2, 4, 6]);
    assert_eq!(seen[1].1, "2 steps are left. Take the next one.");
    assert_eq!(seen[2].1, "This is your last step: answer now.");
    let run = &record.record.run;
    assert_eq!((run.stop.clone(), run.outcome), (Some(StopReason::MaxSteps), None));
    assert_eq!(values(&record, STATED), [0.5, 0.5, 0.5]);
}

#[test]
fn a_reply_that_is_asked_for_again_is_no_step_and_is_not_scored() {
    let malformed = || Reply::from("<action>perhaps</action><confidence>0.2</confidence>");
    let record = run(&yes(), [malformed(), step("answer: yes", "0.8")]);
    assert_eq!(values(&record, STATED), [0.8]);
    assert_eq!(record.record.run.agent_turns().count(), 1);
    assert!(matches!(record.record.events[0].event, ReplyEvent::Unreadable { .. }));
    let forecasts = record.forecasts(STATED).unwrap().unwrap();
    let log = Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
    let score = log.score(Trace::new(&forecasts, true).unwrap()).unwrap();
    assert!((score - 0.8_f64.ln()).abs() < 1e-12, "{score}");

    // Repairs do not use up the steps: the fourth step is still asked for.
    let more = [step("continue", "0.5"), malformed(), step("continue", "0.6"), malformed()];
    let rest = [malformed(), step("continue", "0.7"), step("answer: yes", "0.9")];
    let record = run(&yes(), more.into_iter().chain(rest));
    assert_eq!(values(&record, STATED), [0.5, 0.6, 0.7, 0.9]);
    assert_eq!((record.record.run.outcome, record.record.run.turns.len()), (Some(true), 7));
}

#[test]
fn a_missing_or_malformed_confidence_is_asked_for_again_and_then_a_parse_error() {
    for wrong in ["very sure", "1.2", ""] {
        let bare = || with_tokens(step("answer: yes", wrong), 0.1, 0.1);
        let sure = || with_tokens(step("answer: yes", "0.9"), 0.5, 0.5);
        let record = run(&yes(), [bare(), bare(), sure()]);
        assert_eq!(values(&record, STATED), [0.9], "{wrong}");
        assert_eq!(values(&record, ConfidenceStream::ActionTokenProbability), [0.5], "{wrong}");
        assert_eq!(record.record.run.outcome, Some(true), "{wrong}");

        let record = run(&yes(), [bare(), bare(), bare()]);
        let ended = (record.record.run.outcome, record.record.run.stop.clone());
        assert_eq!(ended, (None, Some(StopReason::ParseError)), "{wrong}");
        let row = stated_row(&[record]);
        assert_eq!((row.runs, row.excluded), (1, [("parse_error".to_owned(), 1)].into()));
    }
}

#[test]
fn a_confidence_outside_its_range_is_clipped_as_published_or_asked_for_again() {
    let published = Confidence::published(Dataset::HotpotQa);
    let run = |setting: &Confidence, stated: &[&str]| {
        let actions = ["continue", "continue", "answer: yes"];
        let replies = actions.into_iter().zip(stated).map(|(action, it)| step(action, it));
        played(setting, &yes(), replies)
    };
    let outside = ["1.2", "-0.1", "95"];
    let clipped = run(&published, &outside);
    assert_eq!((values(&clipped, STATED), clipped.clipped()), (vec![1.0, 0.0, 1.0], 3));
    assert_eq!(clipped.record.run.outcome, Some(true));
    let percent = run(&published, &["0.5", "140%", "90%"]);
    assert_eq!((values(&percent, STATED), percent.clipped()), (vec![0.5, 1.0, 0.9], 1));
    let again = run(&published.clone().with_clipping(false), &outside);
    assert_eq!(again.record.run.stop, Some(StopReason::ParseError));
    assert_eq!(again.clipped(), 0);
    // What is no number is asked for again in any case.
    let unsure = run(&published, &["very sure", "sure", "NaN"]);
    assert_eq!(unsure.record.run.stop, Some(StopReason::ParseError));
}

#[test]
fn cut_off_runs_are_scored_as_failures_and_at_a_given_chance_beside_the_complete_ones() {
    let complete = run(&yes(), [step("answer: yes", "0.8")]);
    let question = Question::new("cut", "?", Checker::YesNo { answer: true });
    let cut_off = run(&question, (0..4).map(|_| step("continue", "0.25")));
    let records = [complete, cut_off];
    let log = |row: &ConfidenceFigures| {
        let report = row.with_cut_off.clone().unwrap();
        let found = report.comparison("log", "linear-front").unwrap().clone();
        (report.assumption.to_string(), found)
    };
    let (sure, failure, success) = (0.8_f64.ln(), 0.75_f64.ln(), 0.25_f64.ln());
    let near =
        |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}, {wanted}");

    let row = stated_row(&records);
    assert_eq!((row.runs, row.cut_off, row.without_outcome), (2, 1, 1));
    let (assumption, found) = log(&row);
    assert_eq!((&assumption[..], found.exact), ("failure_side", None));
    near(found.complete_only.unwrap().value, sure);
    near(found.simple.value, f64::midpoint(sure, failure));
    near(found.bounds.low(), f64::midpoint(sure, success));

    let half = FollowUp { success: Some(Probability::HALF), ..FollowUp::default() };
    let exact = rows(&records, &half).into_iter().find(|row| row.stream == STATED).unwrap();
    let (assumption, found) = log(&exact);
    assert_eq!(assumption, "non_informative");
    near(found.exact.unwrap().value, f64::midpoint(sure, f64::midpoint(failure, success)));
    assert_eq!(stated_row(&records[..1]).with_cut_off, None);
}

#[test]
fn three_replies_without_an_action_in_a_row_end_the_run_and_a_step_between_starts_anew() {
    let bad = || Reply::from("Let me think. <confidence>0.5</confidence>");
    let play = |replies: Vec<Reply>| {
        let run = played(&Confidence::new(10).unwrap(), &yes(), replies).record.run;
        (run.stop, run.turns.len())
    };
    assert_eq!(play(vec![bad(), bad(), bad()]), (Some(StopReason::ParseError), 3));
    let more = vec![bad(), bad(), step("continue", "0.5"), bad(), bad(), step("answer: no", "0.1")];
    assert_eq!(play(more), (Some(StopReason::Completed), 6));
    assert!(matches!(
        Confidence::new(0),
        Err(Error::ScoringRules(scoring_rules::Error::Setting { name: "step limit", .. }))
    ));
}

/// Ten questions answered `yes` in two steps, seven of them rightly, with these confidences.
fn ten(confidence: impl Fn(bool) -> f64) -> Vec<ConfidenceRecord> {
    let one = |number: usize| {
        let answer = number % 10 < 7;
        let question = Question::new(format!("q{number}"), "?", Checker::YesNo { answer });
        let stated = confidence(answer).to_string();
        run(&question, [step("continue", &stated), step("answer: yes", &stated)])
    };
    (0..10).map(one).collect()
}

const HOW: Intervals = Intervals { level: Level::HALF, resamples: 100, seed: Seed(3) };

fn rows(records: &[ConfidenceRecord], follow_up: &FollowUp) -> Vec<ConfidenceFigures> {
    ConfidenceFigures::of(records.iter().map(|it| (it, follow_up)), HOW).unwrap()
}

fn stated_row(records: &[ConfidenceRecord]) -> ConfidenceFigures {
    let mut rows = rows(records, &FollowUp::default()).into_iter();
    rows.find(|row| row.stream == STATED).unwrap()
}

fn value(figures: &Figures, key: &str) -> f64 {
    let (_, figure) = figures.iter().find(|(measure, _)| measure.key == key).unwrap();
    figure.as_ref().unwrap().value
}

#[test]
fn a_model_that_knows_has_brier_0_and_auroc_1_and_a_constant_one_half() {
    let figures = |records: &[ConfidenceRecord]| {
        let complete = stated_row(records).complete.unwrap();
        let [brier, auroc] = ["tps_brier", "auroc"].map(|key| value(&complete.figures, key));
        (complete.traces.len(), complete.base_rate, brier, auroc)
    };
    assert_eq!(figures(&ten(f64::from)), (10, 0.7, 0.0, 1.0));
    let (n, rate, brier, auroc) = figures(&ten(|_| 0.7));
    assert_eq!((n, rate, auroc), (10, 0.7, 0.5));
    assert!((brier + 0.21).abs() < 1e-12, "p (1 - p) of a constant at the base rate: {brier}");
}

#[test]
fn runs_without_answers_replies_and_streams_are_counted_apart() {
    let mut records = ten(|_| 0.6);
    records.push(run(&yes(), (0..4).map(|_| step("continue", "0.5"))));
    records.push(run(&yes(), [step("continue", "0.5")]));
    records.push(run(&yes(), (0..3).map(|_| step("answer: yes", "?"))));
    let row = stated_row(&records);
    assert_eq!((row.runs, row.without_outcome, row.without_reply), (13, 2, 1));
    assert_eq!((row.cut_off, row.excluded["parse_error"]), (1, 1));
    assert_eq!(row.complete.unwrap().traces.len(), 10);
    // No reply has tokens, so that no other stream has a run; each run is counted all the same.
    let all = rows(&records, &FollowUp::default()).into_iter();
    let others: Vec<_> = all.filter(|row| row.stream != STATED).collect();
    assert_eq!(others.len(), 6);
    for row in others {
        assert_eq!((row.complete, row.with_cut_off), (None, None));
        let counts = (row.runs, row.left_out["no_logprobs"], row.excluded["parse_error"]);
        assert_eq!((counts, row.without_reply), ((13, 11, 1), 1));
    }
}

#[test]
fn uprop_adds_the_entropy_of_a_step_and_the_surprise_of_earlier_decisions() {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let sampled = [texts(&["left", "right", "left"]), texts(&["stop", "stop", "stop"])];
    let made = texts(&["left", "stop"]);
    let confidence = uprop(&sampled, &made, |a, b| a == b).unwrap();
    // Shares of 2/3 and 1/3. Three of the four decisions with the one made are "left".
    let first = f64::powf(2.0 / 3.0, 2.0 / 3.0) * f64::powf(1.0 / 3.0, 1.0 / 3.0);
    assert!((confidence[0].get() - first).abs() < 1e-15);
    assert!((confidence[1].get() - f64::sqrt(first * 0.75)).abs() < 1e-15);
}
