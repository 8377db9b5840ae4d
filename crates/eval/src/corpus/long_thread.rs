//! A thread of work that is longer than any prompt: stretches of talk with two decisions and a promise each, which nothing later
//! says again.

use cairn_domain::{Draft, Role, Time};

const EXCHANGES: usize = 24;
const BEGIN_MS: i64 = 1_793_606_400_000;
/// From one message to the next, and from one stretch to the next.
const GAP_MS: i64 = 60_000;
const STRETCH_MS: i64 = 20 * 3_600_000;
/// The exchanges of a stretch that decide something, and the one that promises something.
const DECIDED: [usize; 2] = [4, 13];
const PROMISED: usize = 19;

const THINGS: [&str; 16] = [
    "glaze", "kiln", "shelf", "label", "crate", "stamp", "ribbon", "apron", "sponge", "mold", "tray",
    "scale", "oven", "brush", "wheel", "ladle",
];
const PLACES: [&str; 12] = [
    "Lisbon", "Oslo", "Porto", "Bergen", "Ghent", "Turku", "Malmo", "Cadiz", "Genoa", "Split", "Varna",
    "Izmir",
];
const FILLER: [&str; 12] =
    ["the", "water", "and", "then", "some", "dust", "on", "wet", "clay", "before", "drying", "slowly"];

/// Something that whoever goes on has to know, by the words that tell it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StandingMatter {
    thing: &'static str,
    place: &'static str,
}

impl StandingMatter {
    /// Whether a text tells it: both words in one line.
    pub(crate) fn is_told_in(self, text: &str) -> bool {
        text.lines().any(|line| line.contains(self.thing) && line.contains(self.place))
    }
}

/// One stretch, after which the host shortens the conversation.
pub(crate) struct ThreadStretch {
    pub(crate) session: String,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) matters: Vec<StandingMatter>,
    pub(crate) ends_at: Time,
}

/// Makes the stretches of a thread, the same for the same seed.
pub(crate) fn stretches(seed: u64, count: usize) -> Vec<ThreadStretch> {
    let mut random = fastrand::Rng::with_seed(seed);
    // Each pair of words is told once.
    let mut pairs: Vec<StandingMatter> = THINGS
        .iter()
        .flat_map(|thing| PLACES.iter().map(move |place| StandingMatter { thing, place }))
        .collect();
    random.shuffle(&mut pairs);
    (0..count).map(|place| stretch(place, &mut random, &mut pairs)).collect()
}

fn stretch(number: usize, random: &mut fastrand::Rng, pairs: &mut Vec<StandingMatter>) -> ThreadStretch {
    let session = format!("stretch-{number}");
    let mut at = BEGIN_MS + number as i64 * STRETCH_MS;
    let (mut drafts, mut matters) = (Vec::new(), Vec::new());
    for exchange in 0..EXCHANGES {
        let matter = (DECIDED.contains(&exchange) || exchange == PROMISED).then(|| pairs.pop()).flatten();
        let asked = match matter {
            Some(StandingMatter { thing, place }) if exchange == PROMISED => {
                format!("I promise to send the {thing} drawing to the workshop in {place} next Friday.")
            }
            Some(StandingMatter { thing, place }) => {
                format!("We decided to buy every {thing} from the workshop in {place}.")
            }
            None => sentence(random, 12) + "?",
        };
        matters.extend(matter);
        for (role, text) in [(Role::User, asked), (Role::Assistant, sentence(random, 60) + ".")] {
            at += GAP_MS;
            drafts.push(Draft {
                source_id: Some(format!("{session}-{}", drafts.len())),
                session: Some(session.clone()),
                thread: Some("pottery".to_owned()),
                at: Some(Time::from_millis(at)),
                ..Draft::new(role, text)
            });
        }
    }
    ThreadStretch { session, drafts, matters, ends_at: Time::from_millis(at) }
}

fn sentence(random: &mut fastrand::Rng, words: usize) -> String {
    (0..words).map(|_| FILLER[random.usize(..FILLER.len())]).collect::<Vec<_>>().join(" ")
}
