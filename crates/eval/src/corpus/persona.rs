//! Somebody who talks to an agent: people, places and things that do not exist, of which a few come up again and again and
//! most once; values that change; plans; small talk.

use cairn_domain::{Draft, Role, Time};
use std::collections::BTreeMap;

/// Names that come up.
const NAMES: usize = 400;

/// Who talks, and what was said so far.
pub(crate) struct Persona {
    random: fastrand::Rng,
    said: u64,
    /// Facts of which there is one value at a time: who and what, the value, how often it was said or asked for.
    values: BTreeMap<(usize, u8), (String, u32)>,
    /// Values that no longer hold: who and what, and the value.
    replaced: Vec<(usize, u8, String)>,
}

/// A fact: who, what of them, and its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PersonaFact {
    who: usize,
    what: u8,
    value: String,
}

impl PersonaFact {
    /// How somebody would ask for it.
    pub(crate) fn question(&self) -> String {
        let who = name(self.who);
        match self.what {
            0 => format!("Where does my friend {who} live?"),
            1 => format!("Where does my friend {who} work?"),
            _ => format!("What is the favourite colour of my friend {who}?"),
        }
    }

    /// Whether a text tells it.
    pub(crate) fn is_told_by(&self, text: &str) -> bool {
        let (who, value) = (name(self.who), &self.value);
        let telling = match self.what {
            0 => format!("lives in {value}"),
            1 => format!("works at {value}"),
            _ => format!("colour of my friend {who} is {value}"),
        };
        // A memory may say it in words of its own, but not without the names.
        let by_name = self.what > 1 && text.contains("colour") && text.contains(value.as_str());
        text.contains(&who) && (text.contains(&telling) || by_name)
    }
}

impl Persona {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            said: 0,
            values: BTreeMap::new(),
            replaced: Vec::new(),
        }
    }

    /// The next statement, and the reply to it.
    pub(crate) fn exchange(&mut self, session: &str, at: Time) -> Vec<Draft> {
        let text = self.statement();
        let answer = if self.random.bool() { "Noted." } else { "Thanks, I will keep that in mind." };
        [(Role::User, text), (Role::Assistant, answer.to_owned())]
            .into_iter()
            .map(|(role, text)| {
                self.said += 1;
                Draft {
                    source_id: Some(format!("said-{}", self.said)),
                    session: Some(session.to_owned()),
                    at: Some(at),
                    ..Draft::new(role, text)
                }
            })
            .collect()
    }

    fn statement(&mut self) -> String {
        let (who, noun, number) = (self.someone(), self.noun(), self.random.u32(2..90));
        let (name, place) = (name(who), name(self.someone()));
        match self.random.u8(..20) {
            0..=2 => self.value(who, 0),
            3..=5 => self.value(who, 1),
            6 => self.value(who, 2),
            7 => format!("We bought {number} {noun} boxes for the shed in {place}."),
            8 => format!("I met {name} at the {noun} fair in {place}."),
            9 => format!("The {noun} service of {name} runs on {number} servers."),
            10 => format!("{name} prefers the {noun} tea from {place}."),
            11 => format!("I decided to paint the {noun} room before {name} arrives."),
            12 => format!("I'm going to visit {name} in {place} next week."),
            13 => format!("{name} told me that the {noun} in {place} is {number} years old."),
            14 => ["Good morning!", "How are you?", "Thanks a lot.", "ok"][self.random.usize(..4)].to_owned(),
            _ => ["What do you think?", "Let me see.", "That sounds fine to me.", "Sure, go on."]
                [self.random.usize(..4)]
            .to_owned(),
        }
    }

    /// A fact of which there is one value at a time: mostly what it was, now and then a new one.
    fn value(&mut self, who: usize, what: u8) -> String {
        let known = self.values.get(&(who, what)).cloned();
        let (value, times) = match known {
            Some((value, times)) if self.random.u8(..20) > 0 => (value, times + 1),
            Some((old, _)) => {
                let new = name(NAMES + self.random.usize(..NAMES));
                if new != old {
                    self.replaced.push((who, what, old));
                }
                (new, 1)
            }
            None => (name(NAMES + self.random.usize(..NAMES)), 1),
        };
        self.values.insert((who, what), (value.clone(), times));
        let who = name(who);
        match what {
            0 => format!("My friend {who} lives in {value}."),
            1 => format!("My friend {who} works at {value}."),
            _ => format!("The favourite colour of my friend {who} is {value}."),
        }
    }

    /// Somebody wants to know something that was said; which is a use of it.
    pub(crate) fn asks(&mut self) -> Option<PersonaFact> {
        let (who, what) = (self.someone(), self.random.u8(..3));
        let (value, uses) = self.values.get_mut(&(who, what))?;
        *uses += 1;
        Some(PersonaFact { who, what, value: value.clone() })
    }

    /// Facts that hold and were said or asked for at least three times.
    pub(crate) fn often(&self) -> Vec<PersonaFact> {
        let often = self.values.iter().filter(|(_, (_, uses))| *uses >= 3);
        often
            .map(|((who, what), (value, _))| PersonaFact { who: *who, what: *what, value: value.clone() })
            .collect()
    }

    /// Facts that held once, and did not come back.
    pub(crate) fn replaced(&self) -> Vec<PersonaFact> {
        let facts = self.replaced.iter().map(|(who, what, value)| PersonaFact {
            who: *who,
            what: *what,
            value: value.clone(),
        });
        let holds = |fact: &PersonaFact| {
            self.values.get(&(fact.who, fact.what)).is_some_and(|(now, _)| *now == fact.value)
        };
        let mut replaced: Vec<PersonaFact> = facts.filter(|fact| !holds(fact)).collect();
        replaced.sort_unstable();
        replaced.dedup();
        replaced
    }

    /// Somebody: a few often, most seldom.
    fn someone(&mut self) -> usize {
        let uniform = self.random.f64();
        ((((NAMES + 1) as f64).ln() * uniform).exp() - 1.0).min(NAMES as f64 - 1.0) as usize
    }

    fn noun(&mut self) -> String {
        word(self.random.usize(..4_000)).to_lowercase()
    }
}

/// The invented name with this number.
fn name(number: usize) -> String {
    word(number * 31 + 7)
}

fn word(number: usize) -> String {
    const BEGIN: [&str; 16] =
        ["Ba", "Do", "Ki", "Lu", "Me", "No", "Pra", "Ro", "Sti", "Tu", "Va", "We", "Zo", "Fe", "Ga", "Hu"];
    const MIDDLE: [&str; 16] = [
        "lan", "ren", "dis", "mor", "vel", "tik", "nas", "pol", "gur", "bek", "zin", "hal", "dov", "res",
        "mun", "kas",
    ];
    const END: [&str; 16] =
        ["a", "o", "is", "er", "um", "en", "ix", "ar", "el", "us", "in", "or", "et", "an", "ik", "ul"];
    format!("{}{}{}", BEGIN[number % 16], MIDDLE[number / 16 % 16], END[number / 256 % 16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_the_same_again_and_names_are_told_apart() {
        let at = Time::from_millis(0);
        let talk = |seed| (0..50).flat_map(|_| Persona::new(seed).exchange("s", at)).collect::<Vec<_>>();
        assert_eq!(talk(3), talk(3));
        let names: std::collections::BTreeSet<String> = (0..2 * NAMES).map(name).collect();
        assert_eq!(names.len(), 2 * NAMES);
    }
}
