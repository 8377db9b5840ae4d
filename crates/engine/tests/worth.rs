//! Words that are worth too little to be kept for themselves, and what they change all the same; words that leave in doubt what they
//! are worth, and a model that reads them.

use cairn_domain::{Draft, Role, Status, Verdict};
use cairn_engine::{
    Agent, Decision, Missing,
    models::{BoxFuture, Calibration, ClauseInMessage, Embedder, EmbedderSpec, ModelError, TextPair},
};
use cairn_testkit::{SimulatedClock, home, run};
use std::sync::{Arc, Mutex};

/// An embedder to which all texts are alike, and that reads every pair in which tea is new as a change.
struct TeaReader {
    spec: EmbedderSpec,
    /// The new statements it has read beside a known one.
    read: Mutex<Vec<String>>,
}

impl TeaReader {
    fn new() -> Self {
        let spec = EmbedderSpec {
            id: "tea".to_owned(),
            dimension: 2,
            max_tokens: 256,
            calibration: Calibration::default(),
        };
        Self { spec, read: Mutex::default() }
    }
}

impl Embedder for TeaReader {
    fn spec(&self) -> &EmbedderSpec {
        &self.spec
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>> {
        let vector = |text: &String| {
            let angle = text.len() as f32 / 400.0;
            vec![angle.cos(), angle.sin()]
        };
        Box::pin(async move { Ok(texts.iter().map(vector).collect()) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn change_odds(&self, pair: &TextPair<'_>) -> Option<Result<f32, ModelError>> {
        self.read.lock().expect("whole").push(pair.new.to_owned());
        Some(Ok(if pair.new.contains("tea now") { 9.0 } else { -9.0 }))
    }
}

async fn tell(agent: &Agent, text: &str) -> Vec<Decision> {
    let kept = agent.remember(Draft::new(Role::User, text)).await.expect("kept");
    agent.form_message(kept.message).await.expect("formed").decisions
}

/// covers: C-24, C-117
#[test]
fn words_of_little_worth_are_kept_if_they_replace_something_and_else_not() {
    const LITTLE: &str = "lol tea now. Tell me a joke about trains please.";
    let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
    let home = home.with_embedder(Arc::new(TeaReader::new()));
    run(async {
        let agent = async |name: &str| {
            home.agent(&name.parse().expect("a name"), Missing::Create).await.expect("an agent")
        };
        let (quiet, known) = (agent("quiet").await, agent("known").await);
        let decisions = tell(&quiet, LITTLE).await;
        assert_eq!((decisions.len(), decisions[0].verdict), (1, Verdict::Skip), "{decisions:?}");
        assert!(decisions[0].reason.contains("it says too little"), "{}", decisions[0].reason);

        let coffee = tell(&known, "I drink coffee in the morning, two cups.").await;
        let coffee = coffee[0].memory.expect("a memory");
        let decisions = tell(&known, LITTLE).await;
        assert_eq!(decisions[0].supersedes, Some(coffee), "{decisions:?}");
        assert_eq!(known.memory(coffee).await.expect("there").memory.status, Status::Superseded);
        let tea = known.memory(decisions[0].memory.expect("a memory")).await.expect("there");
        assert!(tea.memory.text.contains("tea now"), "{}", tea.memory.text);
    });
}

/// Reading takes longer than all the rest of forming: where so much is as like a statement that no reading could make one change
/// likely, none is made.
#[test]
fn a_pair_is_read_only_where_that_could_change_something() {
    const NEW: &str = "My grandmother was born in Ankara in 1931.";
    const KNOWN: [&str; 10] = [
        "I drink coffee in the morning, two cups.",
        "My brother plays the cello in Utrecht.",
        "The boat lies in the harbor of Kaş.",
        "Our dentist has her practice in Graça.",
        "The lease of the studio ends in June 2027.",
        "My bicycle has a red frame and one gear.",
        "The choir meets on Tuesdays in the old school.",
        "I keep bees behind the church in Partick.",
        "The kiln fires at 1240 degrees Celsius.",
        "Ada works for a firm that repairs lifts.",
    ];
    for (known, is_read) in [(&KNOWN[..1], true), (&KNOWN[..], false)] {
        let reader = Arc::new(TeaReader::new());
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let home = home.with_embedder(Arc::clone(&reader) as Arc<dyn Embedder>);
        run(async {
            let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await;
            let agent = agent.expect("an agent");
            for text in known.iter().chain([&NEW]) {
                tell(&agent, text).await;
            }
            let read = reader.read.lock().expect("whole");
            assert_eq!(read.iter().any(|text| text == NEW), is_read, "{read:?}");
        });
    }
}

/// An embedder that would write down whatever is about a phone, nothing else, and cannot read what is about a cat.
#[derive(Default)]
struct PhoneReader {
    read: Mutex<Vec<String>>,
}

impl Embedder for PhoneReader {
    fn spec(&self) -> &EmbedderSpec {
        static SPEC: std::sync::LazyLock<EmbedderSpec> = std::sync::LazyLock::new(|| EmbedderSpec {
            id: "phone".to_owned(),
            dimension: 2,
            max_tokens: 256,
            calibration: Calibration::default(),
        });
        &SPEC
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>> {
        let vector = |text: &String| {
            let angle = text.len() as f32 / 40.0;
            vec![angle.cos(), angle.sin()]
        };
        Box::pin(async move { Ok(texts.iter().map(vector).collect()) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn worth_odds(&self, text: &ClauseInMessage<'_>) -> Option<Result<f32, ModelError>> {
        self.read.lock().expect("whole").push(text.clause.to_owned());
        assert!(text.message.contains(text.clause), "{text:?}");
        if text.clause.contains("with the cat") {
            let (id, problem) = ("phone".to_owned(), "it cannot".to_owned());
            return Some(Err(ModelError::Failed { id, problem }));
        }
        Some(Ok(if text.clause.contains("phone") { 4.0 } else { -4.0 }))
    }
}

#[test]
fn a_model_reads_what_its_words_leave_in_doubt_and_nothing_else() {
    // The words, whether they are kept without a model that reads, and with one; whether one reads them.
    let table = [
        ("We took the late train home. Loud as ever.", true, false, true),
        ("lol what a day. phone is loud as ever", false, true, true),
        ("We took the late train home with the cat. Loud as ever.", true, true, true),
        ("I moved to Lisbon in May 2024.", true, true, false),
        ("Remember this: the late train home was loud.", true, true, false),
        ("ok thanks", false, false, false),
    ];
    for (text, by_words, with_reader, is_read) in table {
        for reads in [false, true] {
            let reader = Arc::new(PhoneReader::default());
            let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
            let home =
                if reads { home.with_embedder(Arc::clone(&reader) as Arc<dyn Embedder>) } else { home };
            run(async {
                let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await;
                let decisions = tell(&agent.expect("an agent"), text).await;
                let kept = decisions.iter().any(|decision| decision.memory.is_some());
                assert_eq!(kept, if reads { with_reader } else { by_words }, "{text}: {decisions:?}");
                let read = reader.read.lock().expect("whole");
                assert_eq!(!read.is_empty(), reads && is_read, "{text}: {read:?}");
            });
        }
    }
}

#[test]
fn only_a_few_clauses_of_a_message_are_read() {
    let clauses = [
        "Went to the show.",
        "Loud as ever.",
        "Jetzt schläft er endlich.",
        "Hers is the color of a dishcloth.",
    ];
    let text = clauses.repeat(4).join(" ");
    let reader = Arc::new(PhoneReader::default());
    let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
    let home = home.with_embedder(Arc::clone(&reader) as Arc<dyn Embedder>);
    run(async {
        let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await;
        tell(&agent.expect("an agent"), &text).await;
    });
    assert_eq!(reader.read.lock().expect("whole").len(), 3);
}
