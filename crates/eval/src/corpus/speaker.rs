//! An invented speaker.

use cairn_domain::{Draft, Role, Time};

/// Somebody who states things about people, places and tools that do not exist.
pub(crate) struct InventedSpeaker {
    random: fastrand::Rng,
    made: usize,
}

impl InventedSpeaker {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), made: 0 }
    }

    /// Something about somebody.
    pub(crate) fn said(&mut self) -> String {
        let name = self.name();
        self.statement(&name)
    }

    pub(crate) fn draft(&mut self, role: Role, statements: usize) -> Draft {
        self.talk(role, statements, 0)
    }

    /// Statements about somebody, and talk around them.
    pub(crate) fn talk(&mut self, role: Role, statements: usize, talk: usize) -> Draft {
        self.made += 1;
        let name = self.name();
        let stated = (0..statements).map(|_| self.statement(&name)).collect::<Vec<_>>();
        let text: Vec<String> = stated.into_iter().chain((0..talk).map(|_| self.aside(role))).collect();
        Draft {
            source_id: Some(format!("said-{}", self.made)),
            session: Some(format!("session-{}", self.made / 20)),
            at: Some(Time::from_millis(1_700_000_000_000 + 60_000 * self.made as i64)),
            ..Draft::new(role, text.join(" "))
        }
    }

    /// Something about this one.
    fn statement(&mut self, name: &str) -> String {
        let place = self.name();
        let (noun, other, number) = (self.word(), self.word(), self.random.u32(2..90));
        match self.random.u8(..6) {
            0 => format!("My friend {name} works at {place} as a {noun} planner."),
            1 => format!("We bought {number} {noun} boxes for the {other} shed in {place}."),
            2 => format!("I met {name} at the {noun} fair in {place} last week."),
            3 => format!("The {noun} service of {name} uses {number} {other} servers."),
            4 => format!("{name} prefers the {noun} tea from {place} over the {other} one."),
            _ => format!("I decided to paint the {noun} room {other} before {name} arrives."),
        }
    }

    /// A sentence that states nothing about anybody.
    fn aside(&mut self, role: Role) -> String {
        let word = self.word();
        let asides = match role {
            Role::User => [
                format!("Could you help me think about the {word} part of it?"),
                "I am not sure yet what would be best there, to be honest.".to_owned(),
                format!("What would you try first with the {word} question?"),
                "That sounds good, let us look at it step by step.".to_owned(),
            ],
            Role::Assistant | Role::System | Role::Tool => [
                "Of course, here are a few things that usually help with that.".to_owned(),
                format!("You could begin with the {word} side and see how far it goes."),
                "It is often easier to write the steps down before you start.".to_owned(),
                "Let me know how it went, and we can look at the rest.".to_owned(),
            ],
        };
        self.random.choice(asides).unwrap_or_default()
    }

    fn name(&mut self) -> String {
        let mut name = self.word();
        name[..1].make_ascii_uppercase();
        name
    }

    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 20] = [
            "ba", "do", "ki", "lu", "me", "no", "pra", "ro", "sti", "tu", "va", "wen", "zo", "fel", "gar",
            "hul", "jin", "que", "sha", "tor",
        ];
        (0..self.random.usize(2..=3)).map(|_| SYLLABLES[self.random.usize(..SYLLABLES.len())]).collect()
    }
}
