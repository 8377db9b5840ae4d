//! Made-up transcripts of work with tools, some with friction of one kind planted in them. The phrases come in two halves: one that
//! detectors may be written after, one that is only measured on.

use cairn_domain::{Draft, MILLIS_PER_DAY, Metadata, Mode, Role, Time};
use std::collections::BTreeMap;

/// The phrases.
const PHRASES: &str = include_str!("../../data/friction.tsv");
/// Sessions of one transcript, requests of one session, and steps of ordinary work for one request.
const SESSIONS: usize = 3;
const REQUESTS: usize = 5;
const MAX_ORDINARY_STEPS: usize = 4;
/// Requests during which friction is planted.
const PLANTED_REQUESTS: usize = 3;
/// Times that a call is repeated where repeating is the friction.
const REPEATS: usize = 6;
/// When the first transcript begins.
const BEGIN_MS: i64 = 1_790_000_000_000;

/// Which half of the phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrictionHalf {
    /// Detectors may be written after it.
    Dev,
    /// It is only measured on.
    Held,
}

impl FrictionHalf {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Held => "held",
        }
    }
}

/// The phrases of one half, by what they are for.
pub(crate) struct Phrases(BTreeMap<&'static str, Vec<Vec<String>>>);

impl Phrases {
    pub(crate) fn of(half: FrictionHalf) -> Self {
        let mut by_kind: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
        for line in PHRASES.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split('\t');
            if columns.next() == Some(half.as_str()) {
                let kind = columns.next().unwrap_or_default();
                by_kind
                    .entry(kind)
                    .or_default()
                    .push(columns.map(|text| text.replace("\\n", "\n")).collect());
            }
        }
        Self(by_kind)
    }

    fn any(&self, random: &mut fastrand::Rng, kind: &str) -> &[String] {
        let of_kind = self.0.get(kind).map_or(&[][..], Vec::as_slice);
        &of_kind[random.usize(..of_kind.len())]
    }
}

/// A transcript in the making.
struct Transcript {
    name: String,
    drafts: Vec<Draft>,
    session: usize,
    at_ms: i64,
    /// Whether the host marks what failed, rather than telling the code it ended with.
    marks_errors: bool,
}

/// The messages of one transcript in a thread of its own; `planted` names the kind of friction in it.
pub(crate) fn transcript(
    phrases: &Phrases,
    random: &mut fastrand::Rng,
    (name, planted): (String, Option<&str>),
) -> Vec<Draft> {
    let (drafts, marks_errors) = (Vec::new(), random.bool());
    let at_ms = BEGIN_MS + random.i64(0..1_000_000_000);
    let mut made = Transcript { name, drafts, session: 0, at_ms, marks_errors };
    let mut places: Vec<usize> = (1..SESSIONS * REQUESTS).collect();
    random.shuffle(&mut places);
    let mut places: Vec<usize> = places.split_off(places.len() - PLANTED_REQUESTS);
    if planted == Some("unsolved") {
        // One after the other: what was asked, and twice that it is still not right.
        let first = random.usize(..SESSIONS) * REQUESTS + 1;
        places = vec![first, first + 1];
    }
    let phrase = planted.map(|kind| phrases.any(random, kind).to_vec());
    let slip_at = random.usize(..SESSIONS * REQUESTS);
    for place in 0..SESSIONS * REQUESTS {
        if place % REQUESTS == 0 {
            made.session += 1;
            made.at_ms += MILLIS_PER_DAY;
        }
        let planted_here = planted.zip(phrase.as_deref()).filter(|_| places.contains(&place));
        match planted_here {
            Some(("corrected_habit" | "unsolved", said)) => {
                let again = places.iter().filter(|other| **other < place).count();
                made.say(&said[again.min(1)]);
            }
            _ => made.say(&phrases.any(random, "request")[0]),
        }
        made.work(phrases, random);
        if let Some((kind, phrase)) = planted_here {
            made.plant(kind, phrase);
        }
        if place == slip_at {
            let slip = phrases.any(random, "slip").to_vec();
            made.call(&slip[0], &slip[1], &slip[2], true);
        }
    }
    made.drafts
}

impl Transcript {
    fn push(&mut self, role: Role, speaker: &str, text: String, is_error: bool) {
        self.at_ms += 2_000;
        let mut metadata = Metadata::new();
        if is_error {
            metadata.insert("is_error".to_owned(), true.into());
        }
        self.drafts.push(Draft {
            source_id: Some(format!("{}-{}", self.name, self.drafts.len())),
            session: Some(format!("{}-{}", self.name, self.session)),
            thread: Some(self.name.clone()),
            mode: Some(Mode::Code),
            role,
            speaker: Some(speaker.to_owned()),
            at: Some(Time::from_millis(self.at_ms)),
            text,
            metadata,
        });
    }

    /// The user asks for something, after the agent has said something.
    fn say(&mut self, text: &str) {
        self.push(Role::Assistant, "assistant", format!("Ready for request {}.", self.drafts.len()), false);
        self.push(Role::User, "user", text.to_owned(), false);
    }

    fn call(&mut self, tool: &str, input: &str, result: &str, failed: bool) {
        self.push(Role::Tool, tool, format!("{tool} {input}"), false);
        let is_command = input.contains("\"command\"");
        let told = match (failed && is_command && !is_told(result), self.marks_errors) {
            (true, true) => format!("Exit code 1\n{result}"),
            (true, false) => format!("Process exited with code 1\n{result}"),
            (false, _) => result.to_owned(),
        };
        self.push(Role::Tool, tool, told, failed && (self.marks_errors || !is_command));
    }

    fn run(&mut self, command: &str, result: &str, failed: bool) {
        let input = serde_json::json!({"command": command}).to_string();
        self.call("Bash", &input, result, failed);
    }

    fn edit(&mut self, place: usize) {
        let input = format!("{{\"file_path\":\"src/part{}.rs\"}}", place % 9);
        self.call("Edit", &input, "The file has been updated.", false);
    }

    /// Work as it goes: reading, changing, a test that fails until it passes.
    fn work(&mut self, phrases: &Phrases, random: &mut fastrand::Rng) {
        for step in 0..=random.usize(..MAX_ORDINARY_STEPS) {
            match random.usize(..5) {
                0 => self.call(
                    "Read",
                    &format!("{{\"file_path\":\"src/part{step}.rs\"}}"),
                    "1 fn part() {}",
                    false,
                ),
                1 => self.run("git status --short", &format!(" M src/part{}.rs", random.usize(..99)), false),
                2 => self.edit(random.usize(..99)),
                3 => {
                    let check = phrases.any(random, "check").to_vec();
                    self.run(&check[0], &check[1], true);
                    self.edit(random.usize(..99));
                    self.run(&check[0], &check[2], false);
                }
                _ => self.run(
                    "git commit -am 'Change a part'",
                    &format!("[main {:07x}] Change a part", random.u32(..)),
                    false,
                ),
            }
        }
    }

    fn plant(&mut self, kind: &str, phrase: &[String]) {
        let text = |at: usize| phrase.get(at).map_or("", String::as_str);
        match kind {
            "detour" => {
                self.run(text(0), text(1), true);
                self.run(text(2), "done", false);
            }
            "missed_edit" => {
                self.call(text(0), "{\"file_path\":\"src/a.rs\",\"old_string\":\"x\"}", text(1), true);
            }
            "blind_retry" => (0..REPEATS).for_each(|_| self.run(text(0), text(1), true)),
            "call_loop" => (0..REPEATS).for_each(|_| self.call(text(0), text(1), text(2), false)),
            "corrected_habit" | "unsolved" => {}
            // Something is missing, takes too long, fails as before, or is not let run.
            _ => self.run(text(0), text(1), true),
        }
    }
}

/// Whether an output itself says how the call ended, as a host does.
fn is_told(result: &str) -> bool {
    ["The user", "User ", "Exit code", "Command timed out"].iter().any(|begin| result.starts_with(begin))
}
