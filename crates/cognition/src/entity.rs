//! Entities: the names in a text, without a model. A name is known from a list, or told by its capital and by the words
//! around it; what it names is told by the same. All words are data under `lexicon/`.

mod known;

use crate::{
    lexicon::NameContextClass,
    plain::fold,
    reading::Reading,
    token::{Gap, Token},
};
use cairn_domain::EntityKind;
use foldhash::fast::FixedState;
use known::{Certainty, KNOWN, ListedName, MAX_LISTED_WORDS};
use std::{collections::HashSet, ops::Range};

/// Maximum entities taken from one text.
pub const MAX_ENTITIES: usize = 8;

/// Maximum words of a name.
const MAX_NAME_WORDS: usize = 6;

/// Maximum length of an unknown acronym; longer words of capitals are shouted.
const MAX_ACRONYM_CHARS: usize = 6;

/// A name that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The kind of entity it names.
    pub kind: EntityKind,
    /// As people write it, without endings: `PostgreSQL` for `postgres`, `Ankara` for `Ankara'da`.
    pub name: String,
    /// The name in plain letters with hyphens; one entity, one slug.
    pub slug: String,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Mention {
    /// `entity://tech/postgresql`.
    pub fn uri(&self) -> String {
        format!("entity://{}/{}", self.kind, self.slug)
    }
}

/// A name in plain small letters with hyphens: `Node.js` is `node-js`, `C++` is `c-plus-plus`.
pub fn slug(name: &str) -> String {
    let spelt = fold(name).replace('+', " plus ").replace('#', " sharp ");
    let words = spelt.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The names in a text, each once, in order of appearance, at most [`MAX_ENTITIES`].
pub fn entities(text: &str) -> Vec<Mention> {
    entities_in(&Reading::of(text))
}

/// The same of a text that is read already.
pub fn entities_in(reading: &Reading) -> Vec<Mention> {
    entities_among(reading.text(), reading.tokens())
}

/// The same of a text with its words.
pub(crate) fn entities_among(text: &str, tokens: &[Token]) -> Vec<Mention> {
    let reader = NameReader::new(tokens);
    let mut mentions: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < tokens.len() && mentions.len() < MAX_ENTITIES {
        let Some((name, next)) = reader.name_at(at) else {
            at += 1;
            continue;
        };
        let kind = reader.kind(&name, mentions.last());
        let FoundName { words, entry, .. } = name;
        let range = tokens[words.start].start..tokens[words.end - 1].end;
        let written = text[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let name = entry.map_or(written, |entry| entry.name.to_owned());
        let slug = slug(&name);
        if !slug.is_empty() && mentions.iter().all(|known| known.slug != slug) {
            mentions.push(Mention { kind, name, slug, range });
        }
        at = next;
    }
    mentions
}

/// The kind of a known name; none for a word that is no known name.
pub(crate) fn kind_of(name: &str) -> Option<EntityKind> {
    let plain = fold(name);
    let first = plain.split(' ').next().unwrap_or_default();
    let person = KNOWN.first_name(first).map(|_| EntityKind::Person);
    KNOWN.name(&plain).map(|entry| entry.kind).filter(|_| person.is_none()).or(person)
}

/// A name on the way: its words, what the lists know of it, and whether a title gave a person away.
struct FoundName {
    words: Range<usize>,
    entry: Option<&'static ListedName>,
    titled: bool,
}

struct NameReader<'t> {
    tokens: &'t [Token<'t>],
    /// Words with a capital inside a sentence.
    capitals: HashSet<&'t str, FixedState>,
    shouting: bool,
}

impl<'t> NameReader<'t> {
    fn new(tokens: &'t [Token<'t>]) -> Self {
        let inside = tokens.iter().filter(|token| !token.first && token.is_capital());
        let upper = tokens.iter().filter(|token| token.is_upper()).count();
        Self {
            capitals: inside.map(|token| &*token.fold).collect(),
            shouting: tokens.len() > 1 && upper * 2 > tokens.len(),
            tokens,
        }
    }

    /// The name that begins at a word, and the first word after it.
    fn name_at(&self, at: usize) -> Option<(FoundName, usize)> {
        if self.is_measure(at) {
            return None;
        }
        let listed = self.listed(at);
        let Some(run) = self.run(at) else {
            let (entry, end) = listed?;
            return Some((FoundName { words: at..end, entry: Some(entry), titled: false }, end));
        };
        if let Some((entry, end)) = listed
            && (end >= run.end || self.begins_name(end))
        {
            return Some((FoundName { words: at..end, entry: Some(entry), titled: false }, end));
        }
        let mut words = run.clone();
        let titled = self.drop_titles(&mut words);
        let end = words.end.max(at + 1);
        let next = if words.end < run.end { run.end } else { end };
        let entry = self.entry(&words);
        let name = FoundName { words, entry, titled };
        (self.is_name(&name)).then_some((name, next))
    }

    /// Whether a word is a unit of measure: `ml` behind a number, or written small.
    fn is_measure(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let bare = token.fold.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let glued = bare.len() < token.fold.len();
        let counted = || {
            let before = at.checked_sub(1).map(|place| &self.tokens[place]);
            before.is_some_and(|token| token.text.ends_with(|c: char| c.is_ascii_digit()))
        };
        KNOWN.is(NameContextClass::Measure, bare)
            && (glued || !token.text.contains(char::is_uppercase) || counted())
    }

    /// The longest name of the lists that begins at a word and may be meant, and where it ends.
    fn listed(&self, at: usize) -> Option<(&'static ListedName, usize)> {
        let longest = (at + self.longest_from(at).min(MAX_LISTED_WORDS)).min(self.tokens.len());
        (at + 1..=longest).rev().find_map(|end| {
            let entry = self.entry(&(at..end))?;
            self.is_meant(entry, &(at..end)).then_some((entry, end))
        })
    }

    /// How many words the longest name of the lists has that may begin at a word: most words begin none.
    fn longest_from(&self, at: usize) -> usize {
        let token = &self.tokens[at];
        let whole = if token.ending.is_empty() { 0 } else { KNOWN.words_from(&token.whole_fold()) };
        KNOWN.words_from(&token.fold).max(whole)
    }

    /// The listed name that these words spell.
    fn entry(&self, words: &Range<usize>) -> Option<&'static ListedName> {
        if words.len() > self.longest_from(words.start) {
            return None;
        }
        let tokens = &self.tokens[words.clone()];
        let (last, rest) = tokens.split_last()?;
        let joined = tokens[1..].iter().all(|token| token.gap == Gap::Space)
            && rest.iter().all(|token| token.ending.is_empty());
        if !joined {
            return None;
        }
        let mut spelling = String::new();
        for token in rest {
            spelling.push_str(&token.fold);
            spelling.push(' ');
        }
        let whole = spelling.clone() + &last.whole_fold();
        spelling.push_str(&last.fold);
        KNOWN.name(&whole).or_else(|| KNOWN.name(&spelling))
    }

    /// Whether the words are meant as the name of the lists that they spell.
    fn is_meant(&self, entry: &ListedName, words: &Range<usize>) -> bool {
        let token = &self.tokens[words.start];
        let any_case = matches!(entry.kind, EntityKind::Tech | EntityKind::Tool);
        let as_listed = entry.spelling.split(' ').next().is_some_and(|word| word == token.text);
        if !entry.common {
            let acronym = entry.spelling.chars().all(char::is_uppercase) && !any_case;
            return if acronym { as_listed } else { any_case || token.is_capital() };
        }
        let capital = if token.text.len() < 3 || entry.spelling.chars().all(char::is_uppercase) {
            as_listed
        } else {
            token.is_capital() && !token.is_upper()
        };
        capital && (words.len() > 1 || !token.first || self.has_evidence(words)) && !self.shouting
    }

    /// Whether a name of its own begins at a word: after another, without a sign between.
    fn begins_name(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            KNOWN.first_name(&token.fold).is_some() || (token.is_capital() && self.listed(at).is_some())
        })
    }

    /// The words with capitals from a word on, with what may stand between them.
    fn run(&self, at: usize) -> Option<Range<usize>> {
        let token = &self.tokens[at];
        let camel = token.is_camel();
        if !token.is_capital() && !camel {
            return self.written_small(at).then_some(at..at + 1);
        }
        let titled = KNOWN.is(NameContextClass::Title, &token.fold) && self.follows_capital(at);
        let unsure = !titled && !camel && !self.is_certain(at);
        if KNOWN.is_many_of_none(&token.fold) || unsure && KNOWN.is_never(&token.fold) {
            return None;
        }
        if token.first && !titled && KNOWN.is_common(&token.fold) && KNOWN.first_name(&token.fold).is_none() {
            return self.has_evidence(&(at..at + 1)).then_some(at..at + 1);
        }
        let mut end = at + 1;
        while end - at < MAX_NAME_WORDS && self.tokens[end - 1].ending.is_empty() {
            let Some(next) = self.extension(at, end) else { break };
            end = next;
        }
        Some(at..end)
    }

    /// The end of a name that goes on at `end`.
    fn extension(&self, at: usize, end: usize) -> Option<usize> {
        let token = self.tokens.get(end).filter(|token| token.gap == Gap::Space && !token.first)?;
        let before = &self.tokens[end - 1];
        if token.is_capital() {
            let never = KNOWN.is_never(&token.fold) && !self.follows_capital(end);
            // A first name and then a place or a company are two names.
            let two = KNOWN.first_name(&before.fold).is_some()
                && self.listed(end).is_some_and(|(entry, _)| !entry.common)
                && !KNOWN.is(NameContextClass::Title, &before.fold);
            return (!never && !two && token.text != "I").then_some(end + 1);
        }
        let acronym = before.is_upper() || KNOWN.is(NameContextClass::Title, &before.fold);
        let particle = KNOWN.is(NameContextClass::Particle, &token.fold);
        let link = |words: &str| KNOWN.is(NameContextClass::Link, words) && !acronym && end == at + 1;
        let follows =
            |end: usize| self.tokens.get(end).is_some_and(|next| next.gap == Gap::Space && next.is_capital());
        if (particle || link(&token.fold)) && follows(end + 1) && !KNOWN.is_never(&self.tokens[end + 1].fold)
        {
            return Some(end + 2);
        }
        let next = self.tokens.get(end + 1)?;
        (link(&format!("{} {}", token.fold, next.fold)) && next.gap == Gap::Space && follows(end + 2))
            .then_some(end + 3)
    }

    fn follows_capital(&self, at: usize) -> bool {
        let next = self.tokens.get(at + 1).filter(|next| next.gap == Gap::Space && !next.first);
        next.is_some_and(|next| next.is_capital() && next.text != "I")
    }

    /// A word in small letters that the words around it make a name: `project foo-bar`.
    fn written_small(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let shaped = token.ticked
            || token.text.contains(['-', '_'])
            || token.text.contains(|c: char| c.is_ascii_digit());
        let named = |kind| kind == EntityKind::Project;
        shaped
            && token.text.contains(char::is_alphabetic)
            && (self.before(at).is_some_and(|(kind, sure)| sure == Certainty::Certain && named(kind))
                || self.after(at + 1).is_some_and(named))
    }

    /// Takes titles off both ends. Whether there was one.
    fn drop_titles(&self, words: &mut Range<usize>) -> bool {
        let before = words.clone();
        while words.len() > 1
            && KNOWN.is(NameContextClass::Title, &self.tokens[words.start].fold)
            && self.starts_person(words)
        {
            words.start += 1;
        }
        while words.len() > 1 && KNOWN.is(NameContextClass::Honorific, &self.tokens[words.end - 1].fold) {
            words.end -= 1;
        }
        let after = self.tokens.get(words.end).filter(|token| token.gap == Gap::Space);
        *words != before || after.is_some_and(|token| KNOWN.is(NameContextClass::Honorific, &token.fold))
    }

    /// Whether what follows a title may be a person: no place (`St. Petersburg`), no word for an organisation.
    fn starts_person(&self, words: &Range<usize>) -> bool {
        self.entry(words).is_none() && KNOWN.head(&self.tokens[words.end - 1].fold).is_none()
    }

    /// Whether words with capitals are a name.
    fn is_name(&self, name: &FoundName) -> bool {
        let FoundName { words, titled, .. } = name;
        if *titled {
            return true;
        }
        let token = &self.tokens[words.start];
        let known_person = KNOWN.first_name(&token.fold).is_some_and(|common| !common);
        if words.len() > 1 {
            return !token.first || known_person || !self.begins_name(words.start + 1) && !self.shouting;
        }
        if token.is_upper() {
            return self.is_acronym(words.start);
        }
        let certain = self.is_certain(words.start);
        if token.is_camel() || known_person || self.written_small(words.start) {
            return true;
        }
        if token.text.chars().count() < 2 {
            return false;
        }
        if token.first {
            return self.has_evidence(words);
        }
        certain || !KNOWN.is_common(&token.fold) || KNOWN.first_name(&token.fold).is_some()
    }

    /// Whether a word of capitals is an acronym rather than shouted.
    fn is_acronym(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let letters = token.text.chars().count();
        let beside = |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).is_some_and(Token::is_upper);
        letters <= MAX_ACRONYM_CHARS
            && !KNOWN.is_common(&token.fold)
            && !self.shouting
            && (token.first
                || self.tokens[at].gap == Gap::Space
                || self.is_certain(at)
                || token.gap == Gap::Comma)
            && !beside(at.checked_sub(1))
            && !beside(Some(at + 1))
    }

    /// Whether the words before a name leave no doubt that it is one.
    fn is_certain(&self, at: usize) -> bool {
        !self.tokens[at].first && self.before(at).is_some_and(|(_, sure)| sure == Certainty::Certain)
    }

    /// Whether something besides its capital makes the first word of a sentence a name.
    fn has_evidence(&self, words: &Range<usize>) -> bool {
        let token = &self.tokens[words.start];
        let last = &self.tokens[words.end - 1];
        let elsewhere = self.capitals.contains(&*token.fold);
        let ordinary = KNOWN.first_name(&token.fold).is_none() && KNOWN.ends_unlike_a_name(&token.fold);
        if KNOWN.is_never(&token.fold) || ordinary && !elsewhere {
            return false;
        }
        let common = KNOWN.is_common(&token.fold);
        // `Ana's brother` speaks of Ana, `Guitar's so easy` of no one.
        let next = self.tokens.get(words.end).filter(|next| next.gap == Gap::Space);
        let ending =
            KNOWN.ending(last.ending).is_some() && next.is_some_and(|next| !KNOWN.is_never(&next.fold));
        let told = self.after(words.end).is_some();
        if common { told && KNOWN.first_name(&token.fold).is_some() } else { elsewhere || ending || told }
    }

    /// The kind that the words just before a name tell; words that tell nothing (`the`) are passed over.
    fn before(&self, at: usize) -> Option<(EntityKind, Certainty)> {
        let mut end = at;
        let mut comma = false;
        for _ in 0..3 {
            let gap = self.tokens.get(end)?.gap;
            comma |= gap == Gap::Comma;
            if gap == Gap::Break || self.tokens[end].first && end != at || end == 0 {
                return None;
            }
            if let Some(found) = self.phrase_before(end) {
                let spoken_of = found == (EntityKind::Person, Certainty::Certain);
                return (!comma || spoken_of || found.1 == Certainty::Maybe && found.0 == EntityKind::Person)
                    .then_some(found);
            }
            if !KNOWN.is(NameContextClass::Skip, &self.tokens[end - 1].fold) {
                return None;
            }
            end -= 1;
        }
        None
    }

    /// The kind that the longest phrase before a word tells.
    fn phrase_before(&self, end: usize) -> Option<(EntityKind, Certainty)> {
        (end.saturating_sub(3)..end).find_map(|start| {
            let tokens = &self.tokens[start..end];
            let joined = tokens[1..].iter().all(|token| token.gap == Gap::Space);
            let words: Vec<String> = tokens.iter().map(Token::whole_fold).collect();
            joined.then(|| KNOWN.before(&words.join(" "))).flatten()
        })
    }

    /// The kind that the words just after a name tell.
    fn after(&self, at: usize) -> Option<EntityKind> {
        let token = self.tokens.get(at).filter(|token| token.gap == Gap::Space)?;
        let one = token.whole_fold();
        let two = self.tokens.get(at + 1).filter(|next| next.gap == Gap::Space);
        let two = two.and_then(|next| KNOWN.after(&format!("{one} {}", next.whole_fold())));
        two.or_else(|| KNOWN.after(&one))
    }

    /// The kind of a name.
    fn kind(&self, name: &FoundName, last: Option<&Mention>) -> EntityKind {
        let FoundName { words, entry, titled } = name;
        if *titled {
            return EntityKind::Person;
        }
        let token = &self.tokens[words.start];
        let ending = self.tokens[words.end - 1].ending;
        let before = self.before(words.start);
        let certain = before.filter(|(_, sure)| *sure == Certainty::Certain).map(|(kind, _)| kind);
        let person = KNOWN.first_name(&token.fold).map(|_| EntityKind::Person);
        let head = (words.len() > 1).then(|| self.head(words)).flatten();
        let after = self.after(words.end);
        if let Some(entry) = entry.filter(|entry| person.is_none() && !entry.common) {
            return entry.kind;
        }
        // "A2", "B12": a code names no place.
        if entry.is_none() && token.text.len() <= 3 && token.text.ends_with(|c: char| c.is_ascii_digit()) {
            return EntityKind::Concept;
        }
        if let (Some(entry), Some(person)) = (entry, person) {
            let placed = before.is_some_and(|(kind, _)| kind == entry.kind)
                || KNOWN.ending(ending) == Some(entry.kind);
            return if placed { entry.kind } else { person };
        }
        let worked = self.is_worked_at(words.end, ending).then_some(EntityKind::Org);
        head.or(certain)
            .or(person)
            .or(worked)
            .or_else(|| after.filter(|kind| *kind != EntityKind::Person))
            .or_else(|| entry.map(|entry| entry.kind))
            .or(after)
            .or_else(|| token.text.contains('.').then_some(EntityKind::Person).filter(|_| words.len() > 1))
            .or_else(|| before.map(|(kind, _)| kind).filter(|_| !token.is_upper()))
            .or_else(|| KNOWN.ending(ending))
            .or_else(|| last.filter(|last| self.is_joined(last, words.start)).map(|last| last.kind))
            .unwrap_or_else(|| self.default_kind(words))
    }

    /// The kind that a word inside a name of several words tells: `Lake Bled`, `Stanford University`.
    fn head(&self, words: &Range<usize>) -> Option<EntityKind> {
        let at = |place: usize| {
            let word = &*self.tokens[place].fold;
            KNOWN.head(word).or_else(|| KNOWN.head(word.rsplit('-').next()?))
        };
        at(words.end - 1).or_else(|| at(words.start))
    }

    /// A name with an ending that says where, before a word of work or study.
    fn is_worked_at(&self, after: usize, ending: &str) -> bool {
        let next = self.tokens.get(after).filter(|token| token.gap == Gap::Space);
        KNOWN.ending(ending) == Some(EntityKind::Place)
            && next.is_some_and(|token| KNOWN.is(NameContextClass::OrgVerb, &token.fold))
    }

    /// Whether a name is joined to the one before it by a word such as `and`.
    fn is_joined(&self, last: &Mention, start: usize) -> bool {
        let between = start.checked_sub(1).map(|at| &self.tokens[at]);
        between.is_some_and(|token| KNOWN.is(NameContextClass::And, &token.fold))
            && start >= 2
            && self.tokens[start - 2].end == last.range.end
    }

    /// The kind of a name of which nothing is known but how it is written.
    fn default_kind(&self, words: &Range<usize>) -> EntityKind {
        let token = &self.tokens[words.start];
        if token.is_camel() {
            return EntityKind::Tech;
        }
        if token.is_upper() {
            return EntityKind::Concept;
        }
        let plain = self.tokens[words.clone()].iter().all(|token| !KNOWN.is_common(&token.fold));
        let next_break = self.tokens.get(words.end).is_none_or(|next| next.gap != Gap::Space);
        let called = token.gap == Gap::Comma && next_break;
        let capitals = self.tokens[words.clone()].iter().all(|token| token.is_capital());
        if plain && capitals && (2..=3).contains(&words.len()) || called && capitals {
            return EntityKind::Person;
        }
        EntityKind::Concept
    }
}

#[cfg(test)]
mod tests;
