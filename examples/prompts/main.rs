//! Writes every prompt of ours as a model is sent it, one page each, with the place of its published counterpart.
//!
//! ```text
//! cargo run -p examples --example prompts -- docs/prompts
//! ```

#![allow(clippy::print_stdout, reason = "a program")]

mod budget;
mod confidence;
mod costbench;
mod games;
mod triage;

use std::{collections::VecDeque, env, error::Error, fmt::Write, fs, path::Path};

use agent_benchmarks::{Conversation, Message, Reply, Request, Role, openai_chat_body};
use serde_json::Value;

/// A prompt of ours.
struct Sample {
    /// The name of its page.
    name: &'static str,
    title: &'static str,
    /// Where the published text is: section of the paper, or file of the released repository.
    published: &'static str,
    requests: Vec<Request>,
}

type Samples = Result<Vec<Sample>, Box<dyn Error>>;

/// The requests of a conversation with a model that gives these replies, of which the last request has none.
fn requests<C: Conversation>(
    mut conversation: C,
    replies: impl IntoIterator<Item = Reply>,
) -> Result<Vec<Request>, agent_benchmarks::Error> {
    let mut requests: Vec<Request> = conversation.request().into_iter().cloned().collect();
    for reply in replies {
        conversation.reply(reply)?;
        requests.extend(conversation.request().cloned());
    }
    Ok(requests)
}

/// A reply of this text.
fn text(text: &str) -> Reply {
    Reply { text: text.to_owned(), ..Reply::default() }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder] = &arguments[..] else { return Err("give FOLDER".into()) };
    fs::create_dir_all(folder)?;
    let samples = [
        costbench::samples()?,
        triage::samples()?,
        budget::samples()?,
        confidence::samples()?,
        games::samples()?,
    ];
    let mut index = "# Prompts\n\nEvery prompt in words of our own that `run` sends, with made-up replies where a \
         conversation needs them to go on, and the place of the published prompt. Made by `cargo run -p examples \
         --example prompts -- docs/prompts`.\n\n| prompt | published counterpart |\n|---|---|\n"
        .to_owned();
    for sample in samples.iter().flatten() {
        let Sample { name, title, published, .. } = sample;
        writeln!(index, "| [{title}]({name}.md) | {published} |")?;
        fs::write(Path::new(folder).join(format!("{name}.md")), page(sample)?)?;
    }
    fs::write(Path::new(folder).join("README.md"), index)?;
    println!("wrote {} prompts", samples.iter().flatten().count());
    Ok(())
}

/// The page of a prompt. A request that goes on from the one before it has only what is new.
fn page(sample: &Sample) -> Result<String, Box<dyn Error>> {
    let mut page = format!("# {}\n\nPublished: {}.\n", sample.title, sample.published);
    let mut before: (&[Message], Value, Value) = (&[], Value::Null, Value::Null);
    for (number, request) in (1..).zip(&sample.requests) {
        writeln!(page, "\n## Request {number}")?;
        let messages = &request.messages[..];
        let body: Value = serde_json::from_str(&openai_chat_body(request, ""))?;
        let (tools, form) = (body["tools"].clone(), body["response_format"].clone());
        let new = messages.strip_prefix(before.0).unwrap_or(messages);
        let mut open: VecDeque<&str> = VecDeque::new();
        for message in new {
            open.extend(message.tool_calls.iter().map(|call| call.name.as_str()));
            let by = match message.role {
                Role::Assistant => "the model, made up for this page".to_owned(),
                Role::Tool => format!("tool, {}", open.pop_front().unwrap_or_default()),
                role => role.name().to_owned(),
            };
            let calls = message.tool_calls.iter().map(|call| format!("calls {}", call.name));
            let text = [message.text.clone()].into_iter().chain(calls);
            let text: Vec<String> = text.filter(|part| !part.is_empty()).collect();
            block(&mut page, &by, "text", &text.join("\n"))?;
        }
        for (what, now, then) in
            [("tools", &tools, &before.1), ("form of the reply", &form, &before.2)]
        {
            if now != then && !now.is_null() {
                block(&mut page, what, "json", &serde_json::to_string_pretty(now)?)?;
            }
        }
        before = (messages, tools, form);
    }
    Ok(page)
}

fn block(page: &mut String, of: &str, language: &str, text: &str) -> std::fmt::Result {
    write!(page, "\n{of}:\n\n````{language}\n{text}\n````\n")
}
