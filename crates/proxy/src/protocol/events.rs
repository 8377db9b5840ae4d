//! Server-sent events: how answers stream. Whatever broke off in the middle of an event is left out.

use serde_json::Value;

/// The data of each event that is JSON, in order.
pub(crate) fn event_data(body: &str) -> Vec<Value> {
    let (mut all, mut data) = (Vec::new(), String::new());
    let mut rest = body;
    while let Some(end) = rest.find(['\n', '\r']) {
        let line = &rest[..end];
        let line_end = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[end + line_end..];
        if line.is_empty() {
            all.extend(serde_json::from_str(&data).ok());
            data.clear();
        } else if let Some(value) = line.strip_prefix("data:") {
            if !data.is_empty() {
                data.push('\n');
            }
            data.push_str(value.strip_prefix(' ').unwrap_or(value));
        }
    }
    // Some servers leave out the empty line behind the last event.
    all.extend(serde_json::from_str(&data).ok());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_however_lines_end_and_half_an_event_is_left_out() {
        for (body, numbers) in [
            ("data: 1\n\ndata: 2\n\n", vec![1, 2]),
            ("event: x\r\ndata:1\r\n\r\n: comment\r\ndata: 2\r\n\r\n", vec![1, 2]),
            ("data: [\ndata: ]\n\ndata: 2\n\n", vec![2]),
            ("data: 1\n\ndata: [DONE]\n\n", vec![1]),
            ("data: 1\n\ndata: {\"a\"", vec![1]),
            ("data: 1\n", vec![1]),
            ("", vec![]),
        ] {
            let read: Vec<i64> = event_data(body).iter().filter_map(Value::as_i64).collect();
            assert_eq!(read, numbers, "{body:?}");
        }
    }
}
