//! A month of work with an agent: turns of four kinds, each of which makes the next likelier, in two sessions a day; and in the last
//! week, if asked for, one turn a day that breaks with all of it. Every word is invented; kinds differ by length, questions,
//! tools and pace.

use cairn_domain::{Draft, MILLIS_PER_DAY, MILLIS_PER_HOUR, Metadata, Mode, Role, Time};

/// When the month begins: a Monday morning.
const BEGIN_MS: i64 = 1_793_606_400_000;
pub(crate) const DAYS: usize = 28;
const SESSIONS_PER_DAY: usize = 2;
const TURNS_PER_SESSION: usize = 10;
/// Days at the end, each with one break.
const DAYS_WITH_BREAK: usize = 7;
/// The turn of the second session that breaks.
const BROKEN_TURN: usize = 6;

const NOUNS: [&str; 24] = [
    "tide", "chart", "harbor", "sail", "anchor", "buoy", "deck", "mast", "rope", "pier", "wave", "gull",
    "sand", "shell", "reef", "crane", "ferry", "lamp", "engine", "cargo", "crew", "port", "storm", "current",
];

/// The thing that somebody does in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnKind {
    Chat,
    Plan,
    Work,
    Review,
}

/// One turn: its messages, and whether it breaks with the month.
pub(crate) struct WorkedTurn {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) week: usize,
    pub(crate) is_break: bool,
}

/// Makes the turns of a month in order.
pub(crate) struct WorkingMonth {
    random: fastrand::Rng,
    said: usize,
    breaks: MonthBreaks,
}

/// Whether the last week has breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MonthBreaks {
    None,
    Daily,
}

impl WorkingMonth {
    pub(crate) fn new(seed: u64, breaks: MonthBreaks) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), said: 0, breaks }
    }

    /// Every turn of the month.
    pub(crate) fn turns(mut self) -> Vec<WorkedTurn> {
        let mut turns = Vec::new();
        for day in 0..DAYS {
            for session in 0..SESSIONS_PER_DAY {
                let begin = BEGIN_MS + day as i64 * MILLIS_PER_DAY + session as i64 * 6 * MILLIS_PER_HOUR;
                let mut at = begin + self.random.i64(0..1_800_000);
                let mut kind = TurnKind::Chat;
                for place in 0..TURNS_PER_SESSION {
                    let is_broken_day = self.breaks == MonthBreaks::Daily && day + DAYS_WITH_BREAK >= DAYS;
                    let is_break = is_broken_day && session == 1 && place == BROKEN_TURN;
                    let name = format!("day-{day}-{session}");
                    let drafts =
                        if is_break { self.broken(&name, &mut at) } else { self.turn(kind, &name, &mut at) };
                    turns.push(WorkedTurn { drafts, week: day / 7, is_break });
                    kind = self.next(kind);
                }
            }
        }
        turns
    }

    fn next(&mut self, kind: TurnKind) -> TurnKind {
        let (chance, likely, otherwise) = match kind {
            TurnKind::Chat => (0.85, TurnKind::Plan, TurnKind::Chat),
            TurnKind::Plan => (0.9, TurnKind::Work, TurnKind::Plan),
            TurnKind::Work => (0.85, TurnKind::Review, TurnKind::Work),
            TurnKind::Review => (0.6, TurnKind::Plan, TurnKind::Chat),
        };
        if self.random.f64() < chance { likely } else { otherwise }
    }

    fn turn(&mut self, kind: TurnKind, session: &str, at: &mut i64) -> Vec<Draft> {
        let (asked, answered, questions, tools, pause_s) = match kind {
            TurnKind::Chat => (8, 15, 0, 0, 20),
            TurnKind::Plan => (60, 180, 2, 0, 120),
            TurnKind::Work => (20, 40, 0, 6, 60),
            TurnKind::Review => (12, 30, 1, 0, 300),
        };
        *at += self.about(pause_s) * 1_000;
        let mut text = self.words(asked);
        text.push_str(if questions > 0 { "?" } else { "." });
        if questions > 1 {
            text.push_str(" Which of them comes first?");
        }
        let mut drafts = vec![self.draft(session, Role::User, text, *at)];
        for _ in 0..self.about(tools) {
            *at += self.about(4) * 1_000;
            let result = self.words(12);
            drafts.push(self.draft(session, Role::Tool, result, *at));
        }
        *at += self.about(8 + answered / 10) * 1_000;
        let answer = self.words(answered);
        drafts.push(self.draft(session, Role::Assistant, format!("{answer}."), *at));
        drafts
    }

    /// A turn in which the user is beside himself and nothing works.
    fn broken(&mut self, session: &str, at: &mut i64) -> Vec<Draft> {
        *at += 3_000;
        let noun = self.noun();
        let shout = format!(
            "NO!!! That is WRONG, the {noun} is not there! You are just a machine! Why? Why? WHY? I am furious!!!"
        );
        let mut drafts = vec![self.draft(session, Role::User, shout, *at)];
        for _ in 0..12 {
            *at += 30_000;
            let result = format!("error: no {} is there", self.noun());
            let mut draft = self.draft(session, Role::Tool, result, *at);
            draft.metadata = Metadata::from_iter([("is_error".to_owned(), true.into())]);
            drafts.push(draft);
        }
        *at += 60_000;
        drafts.push(self.draft(session, Role::Assistant, "I am sorry.".to_owned(), *at));
        drafts
    }

    fn draft(&mut self, session: &str, role: Role, text: String, at: i64) -> Draft {
        self.said += 1;
        Draft {
            source_id: Some(format!("month-{}", self.said)),
            session: Some(session.to_owned()),
            thread: Some("harbor".to_owned()),
            mode: Some(Mode::Code),
            at: Some(Time::from_millis(at)),
            ..Draft::new(role, text)
        }
    }

    /// A number within a third of another.
    fn about(&mut self, mean: i64) -> i64 {
        mean * 2 / 3 + self.random.i64(0..=mean * 2 / 3)
    }

    fn noun(&mut self) -> &'static str {
        NOUNS[self.random.usize(..NOUNS.len())]
    }

    fn words(&mut self, mean: i64) -> String {
        let count = self.about(mean).max(2);
        let word = |place: i64, month: &mut Self| match place % 4 {
            0 => "the",
            2 => "near",
            _ => month.noun(),
        };
        (0..count).map(|place| word(place, self)).collect::<Vec<_>>().join(" ")
    }
}
