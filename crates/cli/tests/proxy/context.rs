//! A context stands before the user's last words where the caller wants one, and nothing else of the request moves.

use super::world::{Provider, Proxy, json_answer, post, said};
use crate::support::Cairn;

const TOOLS: &str = r#""tools":[{"type":"function","function":{"name":"f","parameters":{"b":1.0,"a":[]}}}]"#;

fn asked(last: &str) -> String {
    format!(
        r#"{{"model":"m", {TOOLS} ,"messages":[{{"role":"user","content":"Hello"}},{{"role":"assistant","content":"Hi."}},{last}]}}"#
    )
}

/// covers: L-28
#[test]
fn a_context_is_added_where_it_is_wanted_and_not_kept() {
    let cairn = Cairn::new();
    cairn.done("remember 'My allergy is hazelnut.' --session earlier");
    let provider =
        Provider::answering(json_answer("200 OK", r#"{"choices":[{"message":{"content":"Noted."}}]}"#));
    let command = cairn.command(&format!("--json proxy --port 0 --upstream http://{}", provider.address));
    let proxy = Proxy::start_with(&cairn, command);
    let question = asked(r#"{"role":"user","content":"What is my hazelnut allergy?"}"#);
    let going_on = asked(
        r#"{"role":"user","content":"What is my hazelnut allergy?"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"}"#,
    );
    // A model may have to be looked for first: whoever asks again is given what was missing.
    let path = "/v1/chat/completions";
    for _ in 0..40 {
        proxy.ask(&post(path, &["x-cairn-context: on", "x-cairn-session: s"], &question));
        if proxy.status()["contexts_added"] != 0 {
            break;
        }
    }
    let with = provider.seen().last().expect("a request").text();
    let (before, after) = question.split_once("What is my hazelnut allergy?").expect("in it");
    assert!(
        with.starts_with(before) && with.ends_with(&format!("\\n\\nWhat is my hazelnut allergy?{after}")),
        "{with}"
    );
    assert!(with.contains("My allergy is hazelnut."), "{with}");
    let block = &with[before.len()..with.len() - after.len()];
    // A request that goes on with tools has the same one.
    proxy.ask(&post(path, &["x-cairn-context: on", "x-cairn-session: s"], &going_on));
    let (before, after) = going_on.split_once("What is my hazelnut allergy?").expect("in it");
    assert_eq!(provider.seen().last().expect("it").text(), format!("{before}{block}{after}"));
    for headers in
        [vec![], vec!["x-cairn-context: off"], vec!["x-cairn-context: on", "Origin: https://example.org"]]
    {
        proxy.ask(&post(path, &headers, &question));
        assert_eq!(provider.seen().last().expect("it").text(), question, "{headers:?}");
    }
    assert!(proxy.stop());
    let kept = said(&cairn, "").join("\n");
    assert_eq!(
        kept.matches("My allergy is hazelnut.").count(),
        1,
        "what was shown is not said again: {kept}"
    );
}

#[test]
fn a_configuration_can_ask_for_contexts_and_a_request_can_refuse_one() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[proxy]\ncontext = true\ncontext_ms = 20000\n");
    cairn.done("remember 'My allergy is hazelnut.' --session earlier");
    let provider =
        Provider::answering(json_answer("200 OK", r#"{"content":[{"type":"text","text":"Noted."}]}"#));
    let proxy = Proxy::start(&cairn, &provider);
    let question = r#"{"system":"s","messages":[{"role":"user","content":[{"type":"text","text":"my allergy?","cache_control":{"type":"ephemeral"}}]}]}"#;
    proxy.ask(&post("/v1/messages", &[], question));
    proxy.ask(&post("/v1/messages", &["x-cairn-context: off"], question));
    let seen = provider.seen();
    assert!(
        seen[0].text().contains("hazelnut")
            && seen[0].text().contains(r#""text":"my allergy?","cache_control""#),
        "{}",
        seen[0].text()
    );
    assert_eq!(seen[1].text(), question);
    assert!(proxy.stop());
}
