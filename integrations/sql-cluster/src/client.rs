//! A client: it plans a query, has its parts run by workers, and watches over them.

use std::{
    error::Error,
    fmt,
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use datafusion::{
    catalog::Session,
    common::{
        DataFusionError, Result,
        display::{PlanType, StringifiedPlan},
    },
    execution::{SessionState, SessionStateBuilder, context::QueryPlanner},
    logical_expr::LogicalPlan,
    physical_plan::{ExecutionPlan, explain::ExplainExec},
    prelude::SessionContext,
};
use datafusion_distributed::{
    DistributedExec, DistributedExt, GetWorkerInfoRequest, RouteTasksEvent,
    RouteTasksEventResponse, SessionStateBuilderExt, WorkerResolver, display_plan_ascii,
};
use futures::future::join_all;
use tokio::time::{sleep, timeout};
use tonic::{Code, Status, codegen::http::HeaderValue};
use url::Url;

use crate::{Failure, channels::Channels, worker::VERSION};

/// A worker that answered.
#[derive(Clone, Debug)]
struct Member {
    url: Url,
    /// The name of the process, so that a worker that was started again is noticed.
    name: String,
}

/// The address as the user gives it.
fn address(url: &Url) -> &str {
    url.as_str().trim_start_matches("http://").trim_end_matches('/')
}

/// The workers of a query.
#[derive(Clone)]
pub(crate) struct Cluster {
    members: Vec<Member>,
    token: Option<HeaderValue>,
    /// Connections of its own, which no rows fill.
    watch: Channels,
    /// How long a worker may be silent.
    patience: Duration,
    /// Whether the query is planned and no worker takes part in it.
    is_local: Arc<AtomicBool>,
}

/// Why some workers cannot be used.
#[derive(Debug)]
pub(crate) struct Lost(pub(crate) Vec<(Url, String)>);

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.0.iter().map(|(url, why)| format!("worker {} {why}", address(url)));
        f.write_str(&texts.collect::<Vec<_>>().join("; "))
    }
}

impl Error for Lost {}

impl Cluster {
    /// The workers of a list, before any of them is contacted.
    pub(crate) fn new(
        workers: &str,
        token: Option<HeaderValue>,
        patience: Duration,
    ) -> Result<Self, String> {
        let members =
            workers.split(',').map(|worker| match Url::parse(&format!("http://{worker}")) {
                Ok(url) if url.path() == "/" => Ok(Member { url, name: String::new() }),
                _ => Err(format!(
                    "{worker:?}: a worker is given as HOST:PORT, for example 127.0.0.1:7001"
                )),
            });
        let members = members.collect::<Result<_, _>>()?;
        let watch = Channels::new(token.clone());
        Ok(Self { members, token, watch, patience, is_local: Arc::default() })
    }

    /// Learns the names of all workers.
    pub(crate) async fn contact(&mut self) -> Result<(), Lost> {
        let names = self.names(self.patience).await;
        let mut lost = Vec::new();
        for (member, name) in self.members.iter_mut().zip(names) {
            match name {
                Ok(name) => member.name = name,
                Err(why) => lost.push((member.url.clone(), why)),
            }
        }
        if lost.is_empty() { Ok(()) } else { Err(Lost(lost)) }
    }

    async fn names(&self, patience: Duration) -> Vec<Result<String, String>> {
        join_all(self.members.iter().map(|member| self.name(&member.url, patience))).await
    }

    /// The name of the process that serves at an address.
    async fn name(&self, url: &Url, patience: Duration) -> Result<String, String> {
        let answer = async { self.watch.to(url)?.get_worker_info(GetWorkerInfoRequest {}).await };
        match timeout(patience, answer).await {
            Err(_) => Err(format!("has not answered for {} s", patience.as_secs_f64())),
            Ok(Err(error)) => Err(reason(error)),
            Ok(Ok(info)) => match info.version.strip_prefix(VERSION) {
                Some(name) => Ok(name.to_owned()),
                None => Err(format!(
                    "has the version {:?}; client and workers must be the same program",
                    info.version
                )),
            },
        }
    }

    /// The workers that are no longer there, if the query needs them.
    pub(crate) async fn lost(&self, patience: Duration) -> Lost {
        let names = self.names(patience).await;
        let is_local = self.is_local.load(Ordering::Relaxed);
        let lost = names.into_iter().zip(&self.members).filter_map(|(name, member)| {
            let why = match name {
                _ if is_local => return None,
                Ok(name) if name == member.name => return None,
                Ok(_) => "was started again during the query".to_owned(),
                Err(why) => why,
            };
            Some((member.url.clone(), why))
        });
        Lost(lost.collect())
    }

    /// Ends as soon as a worker is lost.
    pub(crate) async fn watch(&self) -> Lost {
        loop {
            sleep(self.patience / 10).await;
            let lost = self.lost(self.patience).await;
            if !lost.0.is_empty() {
                return lost;
            }
        }
    }

    /// The workers whose loss may be the reason of an error, or otherwise the error.
    pub(crate) async fn lost_or(&self, error: &str) -> Result<Lost, Failure> {
        let lost = self.lost(self.patience).await;
        if !lost.0.is_empty() {
            return Ok(lost);
        }
        let named = self.members.iter().fold(error.to_owned(), |message, member| {
            message.replace(&member.name, address(&member.url))
        });
        let code = if named == error { 2 } else { 1 };
        Err((code, named.into()))
    }

    /// The workers that are left, if there are any.
    pub(crate) fn without(&self, lost: &Lost) -> Option<Self> {
        let mut left = self.clone();
        left.members.retain(|member| lost.0.iter().all(|(url, _)| *url != member.url));
        (!left.members.is_empty()).then_some(left)
    }

    pub(crate) fn addresses(&self) -> String {
        self.members.iter().map(|member| address(&member.url)).collect::<Vec<_>>().join(", ")
    }

    /// Lets a session plan queries for the workers.
    pub(crate) fn session(&self, mut builder: SessionStateBuilder) -> Result<SessionContext> {
        // One worker gets two tasks, because the planner leaves a query with one task to the client.
        let tasks = self.members.len().max(2);
        let urls = self.get_urls()?;
        let route = move |event: RouteTasksEvent<'_>| {
            let urls = urls.iter().cloned().cycle().take(event.task_count).collect();
            Some(Ok(RouteTasksEventResponse::new(urls)))
        };
        let options = builder.config().get_or_insert_default().options_mut();
        // A scan of a small file and a client with one processor have parts for workers, too.
        options.optimizer.repartition_file_min_size = 0;
        options.execution.target_partitions = options.execution.target_partitions.max(2);
        let state = builder
            .with_distributed_worker_resolver(self.clone())
            .with_distributed_channel_resolver(Channels::new(self.token.clone()))
            .with_distributed_route_tasks_handler(route)
            .with_distributed_planner()
            .with_distributed_max_tasks_per_stage(tasks)?
            // Scans are spread over all workers however small the files are.
            .with_distributed_file_scan_config_bytes_per_partition(1)?
            .build();
        let tasks = self.members.iter().cycle().take(tasks).enumerate();
        let tasks = tasks.map(|(task, member)| format!("t{task} on {}", address(&member.url)));
        let planner = Planner {
            inner: Arc::clone(state.query_planner()),
            tasks: tasks.collect::<Vec<_>>().join(", "),
            is_local: Arc::clone(&self.is_local),
        };
        let builder = SessionStateBuilder::new_from_existing(state);
        let mut state: SessionState = builder.with_query_planner(Arc::new(planner)).build();
        sql_functions::register_all(&mut state)?;
        Ok(SessionContext::from(state))
    }
}

/// Why a worker did not say its name.
fn reason(error: DataFusionError) -> String {
    let DataFusionError::External(error) = error else { return error.to_string() };
    let Some(status) = error.downcast_ref::<Status>() else { return error.to_string() };
    let mut last: &dyn Error = status;
    while let Some(source) = last.source() {
        last = source;
    }
    let last =
        if status.source().is_some() { last.to_string() } else { status.message().to_owned() };
    match status.code() {
        Code::Unauthenticated => format!("refuses the query: {last}"),
        Code::Unavailable => format!("cannot be reached: {last}"),
        _ => format!("does not answer as a worker: {last}"),
    }
}

impl WorkerResolver for Cluster {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.members.iter().map(|member| member.url.clone()).collect())
    }
}

/// Shows in `EXPLAIN` what runs where, and says so if a query does not use the workers.
#[derive(Debug)]
struct Planner {
    inner: Arc<dyn QueryPlanner + Send + Sync>,
    tasks: String,
    is_local: Arc<AtomicBool>,
}

const NOT_DISTRIBUTED: &str =
    "the query runs in the client only, because it has no part that several tasks can share";

fn is_distributed(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.is::<DistributedExec>() || plan.children().into_iter().any(is_distributed)
}

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let LogicalPlan::Explain(explain) = plan else {
            let planned = self.inner.create_physical_plan(plan, session).await?;
            if !is_distributed(&planned) {
                self.is_local.store(true, Ordering::Relaxed);
                // A closed standard error is no reason to fail.
                let _ = writeln!(std::io::stderr(), "sql-cluster: {NOT_DISTRIBUTED}");
            }
            return Ok(planned);
        };
        self.is_local.store(true, Ordering::Relaxed);
        let planned = self.inner.create_physical_plan(&explain.plan, session).await?;
        let place = if is_distributed(&planned) {
            format!(
                "DistributedExec runs in the client, and the tasks of each stage: {}",
                self.tasks
            )
        } else {
            NOT_DISTRIBUTED.to_owned()
        };
        let text = format!("{place}\n{}", display_plan_ascii(planned.as_ref(), false));
        let mut plans = explain.stringified_plans.clone();
        plans.push(StringifiedPlan::new(PlanType::FinalPhysicalPlan, text));
        let schema = Arc::clone(explain.schema.inner());
        Ok(Arc::new(ExplainExec::new(schema, plans, explain.verbose)))
    }
}
