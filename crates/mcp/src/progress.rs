//! A call while it runs: whoever waits is told that it goes on, and whoever no longer waits ends it.

use cairn_engine::limits::TOOL_CALL_TIMEOUT;
use rmcp::{
    ErrorData, RoleServer,
    model::{ErrorCode, ProgressNotificationParam},
    service::RequestContext,
};
use std::{future::Future, time::Duration};

/// How often a client is told that a long call goes on.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Runs a call to its end, unless it is canceled or takes too long. What was acknowledged to the store by then stays.
pub(crate) async fn watched<T>(
    context: &RequestContext<RoleServer>,
    call: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let token = context.meta.get_progress_token();
    let (mut ticks, mut told) = (tokio::time::interval(PROGRESS_INTERVAL), 0.0);
    ticks.tick().await;
    let end = tokio::time::sleep(TOOL_CALL_TIMEOUT);
    tokio::pin!(call, end);
    loop {
        tokio::select! {
            done = &mut call => return done,
            () = context.ct.cancelled() => {
                return Err(ErrorData::new(ErrorCode(-32_800), "the call was canceled", None));
            }
            () = &mut end => {
                let seconds = TOOL_CALL_TIMEOUT.as_secs();
                let problem = format!("the call took longer than {seconds} seconds; hint: ask for less, or look with `cairn doctor`");
                return Err(ErrorData::internal_error(problem, None));
            }
            _ = ticks.tick() => {
                if let Some(token) = &token {
                    told += 1.0;
                    let progress = ProgressNotificationParam::new(token.clone(), told).with_message("still at it");
                    // Whoever does not listen misses nothing but this.
                    let _ = tokio::time::timeout(PROGRESS_INTERVAL, context.peer.notify_progress(progress)).await;
                }
            }
        }
    }
}
