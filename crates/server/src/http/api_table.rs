//! A table of operations being filled: each row becomes a route behind its access check, and a part of the OpenAPI document.

use super::openapi::Operation;
use crate::request::access::admit;
use axum::{Router, middleware::from_fn, routing::MethodRouter};

/// The rows so far.
#[derive(Default)]
pub(super) struct ApiTable {
    pub(super) operations: Vec<Operation>,
    pub(super) router: Router,
}

impl ApiTable {
    pub(super) fn add(&mut self, operation: Operation, handler: MethodRouter) {
        let required = operation.requires;
        let admit = from_fn(move |app, from, params, request, next| {
            admit(required, app, from, params, request, next)
        });
        self.router = std::mem::take(&mut self.router).route(operation.path, handler.layer(admit));
        self.operations.push(operation);
    }
}

/// A path under an agent.
macro_rules! of_agent {
    ($rest:literal) => {
        concat!("/v1/agents/{agent}", $rest)
    };
}
pub(super) use of_agent;
