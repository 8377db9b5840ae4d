//! The shared collection of what other products leave: every input of every `expected.json` is moved in and asked.

use cairn_engine::{Agent, Effects, Home, Missing, Question};
use cairn_importer::{Plan, ProductPlan, Source, TenantChoice, carry_out, plan, survey};
use cairn_testkit::{SimulatedClock, home, run};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

/// Hits that a question may need.
const HITS: usize = 10;

/// The folder of the collection: `CAIRN_TEST_PEERS`, or beside the workspace.
fn collection() -> Option<PathBuf> {
    let named = env::var_os("CAIRN_TEST_PEERS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/peers");
    let folder = named.unwrap_or(beside);
    let found = folder.join("README.md").exists();
    if !found {
        eprintln!("SKIPPED: the collection is not here; set CAIRN_TEST_PEERS to its folder");
    }
    found.then_some(folder)
}

/// The files that an input names; `…` and `*` stand for anything.
fn inputs(folder: &Path, named: &str) -> Vec<PathBuf> {
    let named = named.split(" (").next().unwrap_or(named).trim_end_matches('/');
    if !named.contains(['…', '*']) {
        return vec![folder.join(named)];
    }
    let (mut all, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { all.push(entry.path()) }
        }
    }
    let parts: Vec<&str> = named.split(['…', '*']).collect();
    all.retain(|path| {
        let path = path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned();
        let (first, last) = (parts[0], parts[parts.len() - 1]);
        path.starts_with(first) && path.ends_with(last) && parts.iter().all(|part| path.contains(part))
    });
    if named.starts_with("*/get_all") {
        // The list of the platform and of the npm package are inputs of their own.
        all.retain(|path| {
            !path.to_string_lossy().contains("platform") && !path.to_string_lossy().contains("typescript")
        });
    }
    all
}

struct Visit<'a> {
    product: &'a str,
    file: String,
    failures: Vec<String>,
    counts: (u32, u32),
    questions: (u32, u32),
}

impl Visit<'_> {
    fn wrong(&mut self, what: impl Into<String>) {
        self.failures.push(format!("{}/{}: {}", self.product, self.file, what.into()));
    }
}

/// Counts that say what a mistake would give.
const MISTAKES: [&str; 1] = ["relations_if_the_wal_is_missed"];

/// Our count for a name in the expectations.
fn counted(of: &ProductPlan, product: &str, name: &str) -> u64 {
    let get = |name: &str| of.counts.get(name).copied().unwrap_or(0);
    let sum = |names: &[&str]| names.iter().map(|name| get(name)).sum();
    match (product, name) {
        ("mem0", "memories") => get("held"),
        ("mem0", name) if name.starts_with("of_user_") => {
            of.tenants.get(&name["of_user_".len()..]).copied().unwrap_or(0) - messages_beside(of, name)
        }
        ("hindsight", "memories") => get("facts"),
        ("basic-memory", "memories") => get("observations"),
        ("openmemory", "points") => of.left_out.values().sum(),
        ("claude-mem", "memories") => sum(&["memories", "digests"]),
        ("graphiti" | "cognee", "relations") => get("edges"),
        ("chatgpt", "of_which_tool_calls_or_results") => get("of_which_tool"),
        _ => get(name),
    }
}

/// Messages of a history beside the memories belong to their user, too.
fn messages_beside(of: &ProductPlan, name: &str) -> u64 {
    if name == "of_user_nerin" { of.counts.get("rows_in_messages").copied().unwrap_or(0) } else { 0 }
}

fn normalized(text: &str) -> String {
    text.to_lowercase()
}

async fn agent_of(home: &Home) -> Agent {
    home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent")
}

fn merged(plan: &Plan) -> ProductPlan {
    let mut all = ProductPlan::default();
    for of in plan.values() {
        for (name, count) in &of.counts {
            *all.counts.entry(name.clone()).or_default() += count;
        }
        for (why, count) in &of.left_out {
            *all.left_out.entry(why.clone()).or_default() += count;
        }
        for (tenant, count) in &of.tenants {
            *all.tenants.entry(tenant.clone()).or_default() += count;
        }
    }
    all
}

/// Everything in the agent that anybody could find.
async fn found(agent: &Agent, words: &str) -> Vec<(String, bool)> {
    let question = Question { k: 100, ..Question::new(words) };
    let recall = agent.answer(question, Effects::None).await.expect("an answer");
    recall.hits.iter().map(|hit| (normalized(hit.found.text()), hit.replaced_by.is_some())).collect()
}

async fn visit(visit: &mut Visit<'_>, path: &Path, input: &Value) {
    let zone = jiff::tz::TimeZone::UTC;
    let found_here = survey(path).expect("a survey");
    let sources: Vec<Source> = found_here.sources;
    if sources.is_empty() {
        return visit.wrong(format!("nothing is recognized; unknown: {:?}", found_here.unknown));
    }
    let planned = plan(&sources, &zone).expect("a plan");
    let all = merged(&planned);
    for (name, expected) in input["counts"].as_object().into_iter().flatten() {
        if MISTAKES.contains(&name.as_str()) {
            continue;
        }
        visit.counts.1 += 1;
        let ours = counted(&all, visit.product, name);
        if Some(ours) == expected.as_u64() {
            visit.counts.0 += 1;
        } else {
            visit.wrong(format!("{name}: {ours}, expected {expected}; counts {:?}", all.counts));
        }
    }
    let (_folder, home) = home(SimulatedClock::at("2026-11-18T00:00:00Z"));
    let agent = agent_of(&home).await;
    let shared = planned.values().any(ProductPlan::is_shared);
    let choice = if shared { TenantChoice::User("nerin".to_owned()) } else { TenantChoice::Everything };
    let moved = carry_out(&agent, &sources, &planned, &choice, &zone, &mut |_| {}).await.expect("moved");
    assert_eq!(moved.messages.malformed, 0, "{}: {moved:?}", visit.file);
    let again =
        carry_out(&agent, &sources, &planned, &choice, &zone, &mut |_| {}).await.expect("moved again");
    if again.messages.added + again.knowledge.added > 0 {
        visit.wrong(format!("a second run adds {again:?}"));
    }
    agent.form(&mut |_| {}).await.expect("formed");
    // What other agents did here is ordinary work.
    let report = agent.evolution(None).await.expect("a report");
    for friction in report.projects.iter().flat_map(|project| &project.frictions) {
        visit.wrong(format!("friction in ordinary work: {friction:?}"));
    }
    for question in input["questions"].as_array().into_iter().flatten() {
        visit.questions.1 += 1;
        let (ask, expect) =
            (question["ask"].as_str().expect("ask"), question["expect"].as_str().expect("expect"));
        let recall =
            agent.answer(Question { k: HITS, ..Question::new(ask) }, Effects::None).await.expect("an answer");
        let hits: Vec<String> = recall.hits.iter().map(|hit| normalized(hit.found.text())).collect();
        if hits.iter().any(|hit| hit.contains(&normalized(expect))) {
            visit.questions.0 += 1;
        } else {
            visit.wrong(format!("{ask} → {expect}: {hits:?}"));
        }
    }
    let texts = |name: &str| -> Vec<String> {
        let list = match &input[name] {
            Value::Array(list) => list.clone(),
            Value::Object(fields) => fields.values().cloned().collect(),
            _ => Vec::new(),
        };
        list.iter().filter_map(|text| text.as_str().map(normalized)).collect()
    };
    for secret in texts("must_not_be_found").iter().chain(&texts("must_stay_apart")) {
        if found(&agent, secret).await.iter().any(|(hit, _)| hit.contains(secret)) {
            visit.wrong(format!("{secret} is found"));
        }
    }
    for old in texts("must_be_old").iter().chain(&texts("must_not_win")) {
        if found(&agent, old).await.iter().any(|(hit, replaced)| hit.contains(old) && !replaced) {
            visit.wrong(format!("{old} is found as if it held"));
        }
    }
}

/// covers: L-28
#[test]
fn everything_in_the_collection_moves_in_as_expected() {
    let Some(folder) = collection() else { return };
    let (mut failures, mut table) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
    let only = env::var("CAIRN_TEST_PEER").ok();
    let mut products: Vec<PathBuf> =
        fs::read_dir(&folder).expect("a folder").flatten().map(|it| it.path()).collect();
    products.sort();
    for product in products.iter().filter(|product| product.join("expected.json").exists()) {
        let name = product.file_name().expect("a name").to_string_lossy().into_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let expected = fs::read(product.join("expected.json")).expect("readable");
        let expected: Value = serde_json::from_slice(&expected).expect("JSON");
        for input in expected["inputs"].as_array().expect("inputs") {
            let file = input["file"].as_str().expect("a file");
            let paths = inputs(product, file);
            assert!(!paths.is_empty(), "{name}/{file} is there");
            for path in paths {
                let file = path.strip_prefix(product).expect("inside").display().to_string();
                let mut one =
                    Visit { product: &name, file, failures: Vec::new(), counts: (0, 0), questions: (0, 0) };
                run(visit(&mut one, &path, input));
                let row = format!(
                    "{} | counts {:?} | questions {:?} | failures {}",
                    one.file,
                    one.counts,
                    one.questions,
                    one.failures.len()
                );
                table.entry(name.clone()).or_default().push(row);
                failures.extend(one.failures);
            }
        }
    }
    for (product, rows) in &table {
        for row in rows {
            println!("{product} | {row}");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
