//! Standard input and output: one client, one process. It ends when the client closes its side or a signal asks for it.
//! However fast a client writes and however little it reads, only so many calls are taken on at once.

use crate::{
    MemoryTools,
    background::work_in_background,
    depth::{DepthGuard, MAX_REQUEST_DEPTH},
};
use cairn_engine::{
    Agent,
    limits::{MAX_CONCURRENT_TOOL_CALLS, MAX_TOOL_LINE_BYTES},
};
use rmcp::{
    RoleServer, ServiceExt,
    model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport, stdio_pipes},
};
use std::{
    collections::HashSet,
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::{
    Semaphore,
    mpsc::{Receiver, channel},
};
use tokio_util::sync::CancellationToken;

/// Maximum time to leave things in good order when the client is gone.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves an agent on standard input and output until the client is gone or `stop` is canceled.
pub async fn serve_stdio(agent: Agent, stop: CancellationToken) -> io::Result<()> {
    let memory = MemoryTools::new(agent.clone());
    let background = tokio::spawn(work_in_background(agent.clone(), Arc::clone(&memory.background)));
    let (input, output) = stdio_pipes();
    let (refuse, refused) = channel(MAX_CONCURRENT_TOOL_CALLS);
    let input = DepthGuard::new(input, refuse);
    let transport = BoundedTransport::new(
        AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_TOOL_LINE_BYTES),
        refused,
    );
    let served = match memory.serve_with_ct(transport, stop).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // A client that leaves before it says a word has seen enough.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    };
    background.abort();
    let _ = background.await;
    // Whatever it was at, the next may go on with at once.
    let leave = async {
        let _ = agent.form_within(Duration::ZERO).await;
        let _ = agent.embed_within(Duration::ZERO).await;
        agent.tidy_up().await
    };
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, leave).await;
    served
}

/// A transport that takes on only so many calls at once, and refuses those that are nested too deeply.
struct BoundedTransport<T> {
    inner: T,
    refused: Receiver<Option<RequestId>>,
    /// The refusal that is being written: kept here, since whoever waits for a message may stop waiting.
    refusing: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    free: Arc<Semaphore>,
    open: Arc<Mutex<HashSet<RequestId>>>,
}

impl<T> BoundedTransport<T> {
    fn new(inner: T, refused: Receiver<Option<RequestId>>) -> Self {
        let refusing = None;
        Self {
            inner,
            refused,
            refusing,
            free: Arc::new(Semaphore::new(MAX_CONCURRENT_TOOL_CALLS)),
            open: Arc::default(),
        }
    }
}

impl<T: Transport<RoleServer>> BoundedTransport<T> {
    /// The next message that can be read; refuses those that cannot be on the way.
    async fn next_message(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                refusing.await;
                self.refusing = None;
            }
            tokio::select! {
                biased;
                Some(id) = self.refused.recv() => {
                    let problem = format!("the request is nested more than {MAX_REQUEST_DEPTH} levels deep");
                    let refusal = JsonRpcMessage::error(ErrorData::invalid_request(problem, None), id);
                    let sending = self.inner.send(refusal);
                    self.refusing = Some(Box::pin(async move { drop(sending.await) }));
                }
                message = self.inner.receive() => return message,
            }
        }
    }
}

/// A call has its answer, or needs none any more.
fn close(open: &Mutex<HashSet<RequestId>>, free: &Semaphore, id: &RequestId) {
    if open.lock().unwrap_or_else(PoisonError::into_inner).remove(id) {
        free.add_permits(1);
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for BoundedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let (open, free) = (Arc::clone(&self.open), Arc::clone(&self.free));
        let sending = self.inner.send(item);
        async move {
            let sent = sending.await;
            if let Some(id) = id {
                close(&open, &free, &id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let free = Arc::clone(&self.free);
        let room = free.acquire().await.ok()?;
        let message = self.next_message().await?;
        match &message {
            JsonRpcMessage::Request(request) => {
                let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                // A client that uses an id twice gets no second place for it.
                if open.insert(request.id.clone()) {
                    room.forget();
                }
            }
            JsonRpcMessage::Notification(notification) => {
                // A canceled call is never answered.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    close(&self.open, &self.free, id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
