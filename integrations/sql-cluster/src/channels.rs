//! Connections to workers, and the token that opens them.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use datafusion::common::DataFusionError;
use datafusion_distributed::{
    ChannelResolver, WorkerChannel,
    grpc::{BoxCloneSyncChannel, create_worker_client},
};
use tonic::{
    codegen::http::{HeaderValue, Request, header::AUTHORIZATION},
    transport::Endpoint,
};
use tower::ServiceExt;
use url::Url;

/// After this time without data the other side of a connection is asked whether it is still there.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// Without an answer for this time a connection is closed. It is long, because a busy process answers late.
pub(crate) const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(60);

/// Reads the token that the client and all workers must share, if they have one.
pub(crate) fn read_token(file: Option<&Path>) -> Result<Option<HeaderValue>, String> {
    let Some(path) = file else { return Ok(None) };
    let problem = |text: &str| format!("{}: {text}", path.display());
    let text = fs::read_to_string(path).map_err(|error| problem(&error.to_string()))?;
    if text.trim().len() < 16 {
        return Err(problem("a token has at least 16 characters"));
    }
    let token = HeaderValue::from_str(text.trim());
    token.map(Some).map_err(|_| problem("a token is one line of ASCII"))
}

/// Connections that are opened when they are needed, and used again.
#[derive(Clone, Default)]
pub(crate) struct Channels {
    token: Option<HeaderValue>,
    opened: Arc<Mutex<HashMap<Url, BoxCloneSyncChannel>>>,
}

impl Channels {
    pub(crate) fn new(token: Option<HeaderValue>) -> Self {
        Self { token, opened: Arc::default() }
    }

    pub(crate) fn to(&self, worker: &Url) -> Result<Box<dyn WorkerChannel>, DataFusionError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = opened.get(worker) {
            return Ok(create_worker_client(channel.clone()));
        }
        let endpoint = Endpoint::from_shared(worker.to_string())
            .map_err(|error| DataFusionError::External(Box::new(error)))?
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT);
        let token = self.token.clone();
        let channel = endpoint.connect_lazy().map_request(move |mut request: Request<_>| {
            if let Some(token) = &token {
                request.headers_mut().insert(AUTHORIZATION, token.clone());
            }
            request
        });
        let channel = BoxCloneSyncChannel::new(channel);
        opened.insert(worker.clone(), channel.clone());
        Ok(create_worker_client(channel))
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(
        &self,
        url: &Url,
    ) -> Result<Box<dyn WorkerChannel>, DataFusionError> {
        self.to(url)
    }
}
