//! `cairn config limits`: every bound a user can meet.

use super::invocation::Invocation;
use crate::show;
use cairn_engine::limits::{Limit, LimitUnit};
use cairn_wire as wire;

pub(crate) fn limits(invocation: &Invocation) {
    let limits = cairn_engine::limits::limits(invocation.home.config());
    invocation.answer(
        || limits.iter().collect::<wire::Limits>(),
        || {
            let mut table = show::table(&["limit", "value", "bounds"]);
            for limit in &limits {
                let name = if limit.changeable { format!("{} *", limit.name) } else { limit.name.clone() };
                table.add_row([name, value(limit), limit.about.clone()]);
            }
            out!("{table}");
            out!("* can be changed in config.toml");
        },
    );
}

/// A value as people read it.
fn value(limit: &Limit) -> String {
    match limit.unit {
        LimitUnit::Bytes => show::bytes(limit.value),
        LimitUnit::Milliseconds if limit.value.is_multiple_of(1_000) => format!("{} s", limit.value / 1_000),
        LimitUnit::Milliseconds => format!("{} ms", limit.value),
        LimitUnit::Characters | LimitUnit::Tokens => format!("{} {}", limit.value, limit.unit.as_str()),
        LimitUnit::Items => limit.value.to_string(),
    }
}
