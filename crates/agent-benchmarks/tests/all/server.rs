//! A server on the loopback address that speaks OpenAI's protocol, and clients of it.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use agent_benchmarks::{
    Conversation, Reply, Request, Usage,
    client::{ApiKey, Client, ClientSettings},
    costbench::{CostBench, Instance, Split, queries},
    openai_chat_body,
};
use serde_json::Value as Json;

use crate::{openai_chat, policies::Said};

/// What the server does with one request.
pub(crate) enum Served {
    Json(String),
    Status(u16, &'static str, String),
    Cut,
    Slow(Duration),
}

/// A request to the server.
pub(crate) struct Asked {
    /// The number of earlier requests.
    pub(crate) number: usize,
    /// The first line and the headers.
    pub(crate) head: String,
    pub(crate) body: Json,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Serves requests until the test ends, and returns the URL and the count of requests.
pub(crate) fn serve(
    handle: impl Fn(Asked) -> Served + Send + Sync + 'static,
) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (handle, count) = (Arc::new(handle), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, handle) = (stream.unwrap(), Arc::clone(&handle));
            let counted = Arc::clone(&counted);
            thread::spawn(move || {
                // A client that was killed is no fault of the server.
                let _ = answer(stream, &counted, &*handle);
            });
        }
    });
    (url, count)
}

fn answer(
    mut stream: TcpStream,
    counted: &AtomicUsize,
    handle: &impl Fn(Asked) -> Served,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut asked = Asked { number: 0, head: String::new(), body: Json::Null };
    while !asked.head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut asked.head)? == 0 {
            return Ok(());
        }
    }
    let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    asked.body = serde_json::from_slice(&body).unwrap();
    asked.number = counted.fetch_add(1, Ordering::SeqCst);
    let head = |status: u16, more: &str, length: usize| {
        format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
             Connection: close\r\n{more}\r\n"
        )
    };
    match handle(asked) {
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

/// The response to a request for a reply that used 100 and 20 tokens.
pub(crate) fn response(reply: &Reply) -> String {
    let usage = Usage { input_tokens: Some(100), output_tokens: Some(20), ..Usage::default() };
    openai_chat::response(&Reply { usage: Some(usage), ..reply.clone() })
}

/// A handler that plays a policy on any of these instances. It keeps nothing between requests: the run is played
/// again up to the request.
pub(crate) fn policy<M: FnMut(&Request) -> Said>(
    instances: &[Instance],
    start: impl Fn(&Instance) -> M + Send + Sync + 'static,
) -> impl Fn(Asked) -> Served + Send + Sync + 'static {
    let text = |it: &Instance| it.conversation().request().unwrap().messages[1].text.clone();
    let by_text: BTreeMap<String, Instance> =
        instances.iter().map(|it| (text(it), it.clone())).collect();
    move |asked| {
        let messages = asked.body["messages"].as_array().unwrap();
        let instance = &by_text[messages[1]["content"].as_str().unwrap()];
        let (mut policy, mut conversation) = (start(instance), instance.conversation());
        for _ in messages.iter().filter(|message| message["role"] == "assistant") {
            let reply = policy(conversation.request().unwrap()).unwrap();
            conversation.reply(reply).unwrap();
        }
        let request = conversation.request().unwrap();
        let body: Json = serde_json::from_str(&openai_chat_body(request, "policy")).unwrap();
        assert_eq!(asked.body, body);
        openai_chat::check(&body, request);
        Served::Json(response(&policy(request).unwrap()))
    }
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
