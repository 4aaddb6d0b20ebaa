//! A worker: a server that runs parts of queries on the files below one folder.

use std::{
    convert::Infallible,
    error::Error,
    fs,
    io::Write,
    net::SocketAddr,
    path::Path,
    pin::Pin,
    process,
    sync::Arc,
    task::{Context, Poll},
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
    codegen::{Service, http},
    server::NamedService,
    transport::Server,
};

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
    token: Option<http::HeaderValue>,
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
    Server::builder()
        .http2_keepalive_interval(Some(KEEP_ALIVE))
        .http2_keepalive_timeout(Some(KEEP_ALIVE_TIMEOUT))
        .add_service(Gate { inner: worker.into_worker_server(), token, compute })
        .serve_with_incoming(TcpListenerStream::new(listener))
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

/// Refuses requests without the token, and runs the others apart from the connections, so that a worker whose
/// processors are all busy still answers that it is there.
#[derive(Clone)]
struct Gate<S> {
    inner: S,
    token: Option<http::HeaderValue>,
    compute: Handle,
}

impl<S: NamedService> NamedService for Gate<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for Gate<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let given = request.headers().get(http::header::AUTHORIZATION);
        let is_allowed = self.token.as_ref().is_none_or(|token| {
            let (token, given) =
                (token.as_bytes(), given.map_or(&[][..], |given| given.as_bytes()));
            // The time does not depend on the place of the first difference.
            let differ = token.iter().zip(given).fold(0, |differ, (a, b)| differ | (a ^ b));
            token.len() == given.len() && differ == 0
        });
        if !is_allowed {
            let refused = Status::unauthenticated("the worker needs its token (--token-file)");
            return Box::pin(async move { Ok(refused.into_http()) });
        }
        let next = self.inner.clone();
        let mut ready = std::mem::replace(&mut self.inner, next);
        if request.uri().path().ends_with("/GetWorkerInfo") {
            return Box::pin(async move { ready.call(request).await });
        }
        let answer = self.compute.spawn(async move { ready.call(request).await });
        Box::pin(async move {
            answer
                .await
                .unwrap_or_else(|failed| Ok(Status::internal(failed.to_string()).into_http()))
        })
    }
}
