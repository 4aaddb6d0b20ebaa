//! What a model reads in Sokoban: own words, and those of the released code.

use std::{env, fs, path::Path};

use agent_benchmarks::{
    Conversation, Error, Request,
    play::{Environment, Play},
    sokoban::{Room, Sokoban, Texts},
};
use serde_json::{Value, json};

fn corridor() -> Sokoban {
    Sokoban::new(Room::parse("#######\n#PX_O_#\n#######").unwrap())
}

/// A file of texts in which each place stands, with the settings told apart by their first word.
fn file() -> Value {
    let words = |kind: &str| {
        let text = |name: &str| {
            format!(
                "{kind} {name} {{most_actions_of_a_turn}} {{most_actions}} {{actions_left}} {{reward}} {{\"plan\": []}}"
            )
        };
        json!({"instruction": text("i"), "reward": text("r"), "warning": text("w"), "sentence": text("s")})
    };
    json!({"evaluation": words("quiet"), "training": words("told"), "warehouse": "Sell."})
}

fn read(file: &Value) -> Result<Texts, Error> {
    Texts::published(&file.to_string())
}

#[test]
fn each_text_of_a_file_reaches_the_model_with_the_facts_in_its_places() {
    let texts = read(&file()).unwrap();
    assert_eq!(texts.warehouse_instruction().as_deref(), Some("Sell."));
    for (is_told, kind, turn) in [(false, "quiet", ""), (true, "told", "Turn 3:\n")] {
        let mut sokoban = corridor()
            .with_texts(texts.clone())
            .with_limits_told(is_told)
            .with_most_actions_of_a_turn(4)
            .with_most_actions(20);
        assert_eq!(sokoban.instruction(), format!("{kind} i 4 20 20  {{\"plan\": []}}"));
        sokoban.act(&"<answer>Left || Up</answer>".into());
        assert!(sokoban.observation().starts_with(&format!("{kind} r 4 20 18 -0.2 ")));
        sokoban.act(&"no action".into());
        let grid = sokoban.game().room().observation();
        let line = |name: &str| format!("{kind} {name} 4 20 18 0 {{\"plan\": []}}\n");
        let want = format!("{}\n{turn}State:\n{grid}\n{}{}", line("r"), line("w"), line("s"));
        assert_eq!(sokoban.observation(), want);
    }
}

#[test]
fn own_words_say_how_many_actions_are_left_only_where_limits_are_told() {
    assert_eq!(Texts::default().warehouse_instruction(), None);
    let quiet = corridor();
    assert_eq!(quiet, corridor().with_texts(Texts::default()));
    let told = quiet.clone().with_limits_told(true);
    assert_eq!(told.instruction(), quiet.instruction());
    assert!(quiet.instruction().starts_with("You play Sokoban."));
    let (told, quiet) = (told.observation(), quiet.observation());
    let want = quiet.replace("\nState:", "\nTurn 1:\nState:");
    assert_eq!(told, want.replace("Reply with", "30 actions are left. Reply with"));
    assert_eq!(quiet.matches("Reply with at most 3 actions").count(), 1);
}

#[test]
fn a_file_that_lacks_a_text_or_has_a_place_that_nothing_fills_is_refused() {
    let stored = |file: &str, said: &str| match Texts::published(file) {
        Err(Error::Invalid { problem }) => {
            assert!(
                problem.contains(": bagen_texts.json: ") && problem.contains(said),
                "{problem}"
            );
        }
        other => panic!("{file}: {other:?}"),
    };
    stored("", "EOF");
    stored("[]", "line 1");
    for setting in ["evaluation", "training"] {
        for text in ["instruction", "reward", "warning", "sentence"] {
            let mut lacking = file();
            lacking[setting].as_object_mut().unwrap().remove(text);
            stored(&lacking.to_string(), &format!("missing field `{text}`"));
            let mut strange = file();
            strange[setting][text] = json!("{action_left} to go");
            let error = read(&strange).unwrap_err().to_string();
            let known = error.split_once("the place {action_left}; known: ").unwrap().1;
            assert!(known.contains("actions_left"), "{setting}.{text}: {known}");
        }
        let mut lacking = file();
        lacking.as_object_mut().unwrap().remove(setting);
        stored(&lacking.to_string(), &format!("missing field `{setting}`"));
    }
    let mut alone = file();
    alone.as_object_mut().unwrap().remove("warehouse");
    assert_eq!(read(&alone).unwrap().warehouse_instruction(), None);
}

fn messages(request: &Request) -> Value {
    let message =
        |it: &agent_benchmarks::Message| json!({"role": it.role.name(), "content": it.text});
    request.messages.iter().map(message).collect()
}

#[test]
fn with_published_words_requests_repeat_thoughts_and_as_many_actions_as_a_turn_has()
-> Result<(), Error> {
    let own = corridor();
    let published = corridor().with_texts(read(&file())?);
    for (reply, repeated) in [
        (
            "<think> I go. </think> <answer> Up || Down </answer> done",
            "<think>I go.</think><answer>Up || Down</answer>",
        ),
        (
            "So.</think><answer>Left||Right||Up||Down</answer>",
            "<think>So.</think><answer>Left || Right || Up</answer>",
        ),
        ("<answer>Up</answer> <think>late</think>", "<think></think><answer>Up</answer>"),
        ("Up", "<think>Up"),
        ("\n <think>x", "\n <think>x"),
    ] {
        for (sokoban, wanted) in [(&own, reply), (&published, repeated)] {
            let mut run = Play::new().conversation("run", sokoban.clone())?;
            run.reply(reply.into())?;
            assert_eq!(run.request().unwrap().messages[2].text, wanted);
        }
    }
    Ok(())
}

#[test]
fn with_a_checkout_every_request_is_the_released_one_to_the_character() -> Result<(), Error> {
    let Ok(folder) = env::var("BAGEN") else {
        println!(
            "skipped: set BAGEN to a released checkout with the files that bagen_texts.py and released_requests.py write"
        );
        return Ok(());
    };
    let text = |name: &str| fs::read_to_string(Path::new(&folder).join(name)).unwrap();
    let texts = Texts::published(&text(Texts::FILE))?;
    let runs: Vec<Value> = serde_json::from_str(&text("bagen_requests.json")).unwrap();
    let mut compared = 0;
    for run in &runs {
        let room = Room::parse(run["room"].as_str().unwrap())?;
        let sokoban = Sokoban::new(room)
            .with_texts(texts.clone())
            .with_limits_told(run["kind"] == "training");
        let mut conversation = Play::new().conversation("run", sokoban)?;
        let replies = run["replies"].as_array().unwrap();
        let requests = run["requests"].as_array().unwrap();
        for (released, reply) in requests.iter().zip(replies) {
            assert_eq!(messages(conversation.request().unwrap()), *released, "{}", run["kind"]);
            conversation.reply(reply.as_str().unwrap().into())?;
            compared += 1;
        }
        assert!(requests.len() == replies.len() || conversation.request().is_none());
    }
    println!("{compared} requests of {} runs", runs.len());
    assert!(compared >= 2 * runs.len() && runs.len() >= 8, "{compared}");
    Ok(())
}
