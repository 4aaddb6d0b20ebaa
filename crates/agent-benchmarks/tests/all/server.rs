//! A server on the loopback address that speaks OpenAI's protocol, and clients of it.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::Arc,
    thread,
    time::Duration,
};

use agent_benchmarks::{
    Arguments, Conversation, Message, ModelError, Parameter, ParameterKind, RecordedCall, Reply,
    Request, Role, ToolDefinition, Usage, Value,
    client::{ApiKey, Client, ClientSettings},
    costbench::{CostBench, Instance, Split, queries},
};
use serde_json::Value as Json;

use crate::openai_chat;

/// What the server does with one request.
pub(crate) enum Served {
    Json(String),
    Status(u16, &'static str, String),
    Cut,
    Slow(Duration),
}

/// Serves requests until the test ends; the handler gets the body and the header `Authorization`.
pub(crate) fn serve(
    handle: impl Fn(Json, Option<String>) -> Served + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let handle = Arc::new(handle);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, handle) = (stream.unwrap(), Arc::clone(&handle));
            thread::spawn(move || {
                // A client that was killed is no fault of the server.
                let _ = answer(stream, &*handle);
            });
        }
    });
    url
}

pub(crate) fn answer(
    mut stream: TcpStream,
    handle: &(impl Fn(Json, Option<String>) -> Served + ?Sized),
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut key) = (0, None);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    assert!(line.starts_with("POST /v1/chat/completions ") || line.is_empty(), "{line}");
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => key = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let head = |status: u16, more: &str, length: usize| {
        format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
             Connection: close\r\n{more}\r\n"
        )
    };
    match handle(serde_json::from_slice(&body).unwrap(), key) {
        Served::Json(text) => {
            stream.write_all(head(200, "", text.len()).as_bytes())?;
            stream.write_all(text.as_bytes())
        }
        Served::Status(status, more, text) => {
            stream.write_all(head(status, more, text.len()).as_bytes())?;
            stream.write_all(text.as_bytes())
        }
        Served::Cut => stream.write_all(head(200, "", 1_000).as_bytes()),
        Served::Slow(wait) => {
            stream.write_all(head(200, "", 1_000).as_bytes())?;
            for _ in 0..1_000 {
                stream.write_all(b" ")?;
                stream.flush()?;
                thread::sleep(wait);
            }
            Ok(())
        }
    }
}

/// The request that a body was made of, as far as policies read it: of calls the names.
pub(crate) fn request(body: &Json) -> Request {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let message = |it: &Json| {
        let role = match it["role"].as_str().unwrap() {
            "system" => Role::System,
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => Role::Tool,
        };
        let call = |it: &Json| {
            let name = text(&it["function"]["name"]);
            RecordedCall::new(name, Arguments::Parsed(Value::Null))
        };
        let mut message = Message::new(role, text(&it["content"]));
        message.tool_calls = it["tool_calls"].as_array().into_iter().flatten().map(call).collect();
        message
    };
    let tool = |it: &Json| {
        let function = &it["function"];
        let properties = function["parameters"]["properties"].as_object().unwrap();
        let parameter = |(name, schema): (&String, &Json)| {
            let words = schema["enum"].as_array();
            let kind = words.map_or(ParameterKind::Text, |words| {
                ParameterKind::Choice(words.iter().map(text).collect())
            });
            Parameter::new(name.clone(), text(&schema["description"]), kind)
        };
        ToolDefinition {
            name: text(&function["name"]),
            description: text(&function["description"]),
            parameters: properties.iter().map(parameter).collect(),
            takes_more: function["parameters"].get("additionalProperties").is_none(),
        }
    };
    let mut request =
        Request::new(body["messages"].as_array().unwrap().iter().map(message).collect());
    request.tools = body["tools"].as_array().into_iter().flatten().map(tool).collect();
    request
}

/// The response to a request for a reply that used 100 and 20 tokens.
pub(crate) fn response(reply: &Reply) -> String {
    let usage = Usage { input_tokens: Some(100), output_tokens: Some(20), ..Usage::default() };
    openai_chat::response(&Reply { usage: Some(usage), ..reply.clone() })
}

/// A handler that plays a policy on any of these instances. It keeps nothing between requests: what the
/// policy did before is worked out from the messages.
pub(crate) fn policy<M: FnMut(&Request) -> Result<Reply, ModelError>>(
    instances: &[Instance],
    start: impl Fn(&Instance) -> M + Send + Sync + 'static,
) -> impl Fn(Json, Option<String>) -> Served + Send + Sync + 'static {
    let by_text: BTreeMap<String, Instance> = instances
        .iter()
        .map(|it| (first_message(it.conversation().request().unwrap()), it.clone()))
        .collect();
    move |body, _| {
        let request = request(&body);
        let mut policy = start(&by_text[&first_message(&request)]);
        let made =
            (0..request.messages.len()).filter(|&at| request.messages[at].role == Role::Assistant);
        for at in made {
            let mut before = request.clone();
            before.messages.truncate(at);
            policy(&before).unwrap();
        }
        Served::Json(response(&policy(&request).unwrap()))
    }
}

pub(crate) fn first_message(request: &Request) -> String {
    request
        .messages
        .get(1)
        .or(request.messages.first())
        .map_or_else(String::new, |it| it.text.clone())
}

pub(crate) fn quick() -> ClientSettings {
    ClientSettings {
        timeout: Duration::from_secs(20),
        first_wait: Duration::from_millis(1),
        ..ClientSettings::default()
    }
}

pub(crate) fn client(url: &str, settings: ClientSettings) -> Client {
    Client::new(url, "policy", Some(ApiKey::new("sk-secret-of-a-test")), settings).unwrap()
}

pub(crate) fn instances(level: usize, step: usize) -> Vec<Instance> {
    let bench = CostBench::new(level).unwrap();
    queries(Split::Test, 42).iter().step_by(step).map(|query| bench.instance(query)).collect()
}

pub(crate) fn named(instances: Vec<Instance>) -> Vec<(String, Instance)> {
    instances.into_iter().map(|it| (it.query().id.clone(), it)).collect()
}

/// A file of its own that does not exist.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("driver");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let _ = fs::remove_file(&path);
    path
}
