//! A worker: a server that runs parts of queries on the files below one folder.

use std::{
    error::Error,
    fs,
    io::Write,
    net::SocketAddr,
    path::Path,
    process,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use datafusion::{
    common::exec_datafusion_err,
    execution::{
        object_store::{DefaultObjectStoreRegistry, ObjectStoreUrl},
        runtime_env::RuntimeEnv,
    },
};
use datafusion_distributed::{
    DistributedExt, Worker, WorkerPlanRewriteEvent, WorkerPlanRewriteEventResponse,
    WorkerQueryContext,
};
use tokio::{net::TcpListener, runtime::Handle};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{
    Status,
    body::Body,
    codegen::http::{HeaderMap, HeaderValue, Request, header::AUTHORIZATION},
    transport::Server,
};
use tower::{ServiceExt, service_fn};

use crate::{
    channels::{Channels, KEEP_ALIVE, KEEP_ALIVE_TIMEOUT},
    pool::NamedPool,
    root::Root,
};

/// What a worker of this version answers before its name.
pub(crate) const VERSION: &str = concat!("sql-cluster ", env!("CARGO_PKG_VERSION"), " ");

/// A name that no other process has, also none that is started later on the same address.
fn process_name() -> String {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("process-{}-{:x}", process::id(), started.as_nanos())
}

/// `PORT` and `:PORT` mean this machine only.
fn address(text: &str) -> String {
    if text.contains(':') && !text.starts_with(':') {
        return text.to_owned();
    }
    format!("127.0.0.1:{}", text.trim_start_matches(':'))
}

/// Listens on the address, prints it, and serves until the process ends.
pub(crate) async fn work(
    listen: &str,
    root: &Path,
    token: Option<HeaderValue>,
    runtime: Arc<RuntimeEnv>,
    compute: Handle,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let root = fs::canonicalize(root).map_err(|error| format!("{}: {error}", root.display()))?;
    let name = process_name();
    let version = format!("{VERSION}{name}");
    let inner = Arc::clone(&runtime.memory_pool);
    let mut runtime = RuntimeEnv::clone(&runtime);
    runtime.memory_pool = Arc::new(NamedPool { worker: name.clone(), inner });
    let runtime = Arc::new(runtime);
    let channels = Channels::new(token.clone());
    let shared = Arc::clone(&runtime);
    let session = move |context: WorkerQueryContext| {
        // The memory is that of the worker, and the files are those of one query.
        let (root, mut runtime) = (Arc::new(Root::new(root.clone())), RuntimeEnv::clone(&shared));
        runtime.object_store_registry = Arc::new(DefaultObjectStoreRegistry::new());
        let files = ObjectStoreUrl::local_filesystem();
        runtime.register_object_store(files.as_ref(), Arc::clone(&root) as _);
        let name = name.clone();
        let check = move |event: WorkerPlanRewriteEvent<'_>| match root.check(&event.plan) {
            Ok(()) => Ok(WorkerPlanRewriteEventResponse::new(event.plan)),
            Err(problem) => Err(exec_datafusion_err!("worker {name}: {problem}")),
        };
        let builder = context.builder.with_runtime_env(Arc::new(runtime));
        let builder = builder.with_distributed_channel_resolver(channels.clone());
        let mut state = builder.with_distributed_worker_plan_rewrite_handler(check).build();
        std::future::ready(sql_functions::register_all(&mut state).map(|()| state))
    };
    let worker =
        Worker::from_session_builder(session).with_runtime_env(runtime).with_version(version);
    let listener = TcpListener::bind(address(listen)).await?;
    let local = listener.local_addr()?;
    warn_of(local, token.is_some());
    writeln!(std::io::stdout(), "listening on {local}")?;
    let server = worker.into_worker_server();
    // What computes runs apart from the connections, so that a worker whose processors are all busy still answers that
    // it is there.
    let gate = service_fn(move |request: Request<Body>| {
        let is_refused = token.as_ref().is_some_and(|token| !shows(token, request.headers()));
        let is_question = request.uri().path().ends_with("/GetWorkerInfo");
        let (answer, compute) = (server.clone().oneshot(request), compute.clone());
        async move {
            if is_refused {
                let refused = Status::unauthenticated("the worker needs its token (--token-file)");
                return Ok(refused.into_http());
            }
            if is_question {
                return answer.await;
            }
            let answer = compute.spawn(answer).await;
            answer.unwrap_or_else(|failed| Ok(Status::internal(failed.to_string()).into_http()))
        }
    });
    Server::builder()
        .http2_keepalive_interval(Some(KEEP_ALIVE))
        .http2_keepalive_timeout(Some(KEEP_ALIVE_TIMEOUT))
        .serve_with_incoming(gate, TcpListenerStream::new(listener))
        .await?;
    Ok(())
}

fn warn_of(local: SocketAddr, has_token: bool) {
    if local.ip().is_loopback() {
        return;
    }
    let who = if has_token { "reads the token on the network" } else { "reaches this address" };
    // A closed standard error is no reason not to serve.
    let _ = writeln!(
        std::io::stderr(),
        "sql-cluster: warning: {local} is reached from other machines, and nothing is encrypted: \
        whoever {who} can read the files below the root folder"
    );
}

/// Whether a request has the token. The time does not depend on the place of the first difference.
fn shows(token: &HeaderValue, headers: &HeaderMap) -> bool {
    let given = headers.get(AUTHORIZATION).map_or(&[][..], |given| given.as_bytes());
    let differ = token.as_bytes().iter().zip(given).fold(0, |differ, (a, b)| differ | (a ^ b));
    token.len() == given.len() && differ == 0
}
