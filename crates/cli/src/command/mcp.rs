//! `cairn mcp`: the agent's tools on standard input and output. Nothing but the protocol goes to standard output.

use super::invocation::Invocation;
use crate::failure::Failure;
use cairn_engine::Missing;
use tokio_util::sync::CancellationToken;

pub(crate) async fn mcp(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Create).await?;
    let stop = CancellationToken::new();
    let asked = tokio::spawn(stopped(stop.clone()));
    let served = Box::pin(cairn_mcp::serve_stdio(agent, stop)).await;
    asked.abort();
    served.map_err(|error| {
        let hint =
            "`cairn mcp` is started by a client that speaks the Model Context Protocol; see docs/mcp.md";
        Failure::new(error.to_string(), hint)
    })
}

/// Waits until somebody asks the process to end.
async fn stopped(stop: CancellationToken) {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let terminated = async {
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! { _ = interrupted => {}, () = terminated => {} }
    }
    #[cfg(not(unix))]
    let _ = interrupted.await;
    stop.cancel();
}
