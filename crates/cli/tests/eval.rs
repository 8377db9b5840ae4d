//! `cairn eval`.

mod support;

use support::Cairn;

#[test]
fn speed_is_measured_beside_the_agents_and_leaves_nothing_behind() {
    let cairn = Cairn::new();
    let figures = cairn.json("eval perf --messages 20 --questions 2");
    assert_eq!(figures["messages"], 20);
    for place in ["/ingest_per_second", "/keyword_recall/p50_ms", "/acknowledge_early/acknowledge/p95_ms"] {
        let figure = figures.pointer(place).and_then(serde_json::Value::as_f64);
        assert!(figure.is_some_and(|figure| figure > 0.0), "{place}: {figures}");
    }
    assert_eq!(cairn.json("agents")["agents"], serde_json::json!([]));
    let left = cairn.path("home").read_dir().map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing is left in the home");
}
