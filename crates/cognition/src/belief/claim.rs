//! Claims: what a text says that can be held true, each under its canonical key. Two claims of one key are about the same
//! thing; whether they say the same of it is another question.

use super::{
    key::{canonical_key, segment, slot},
    lexicon::{BeliefWords, words},
};
use crate::{
    contradiction::{Clash, Saying, contradiction},
    entity::slug,
    lexicon::BeliefsClass,
    quoted_list::{quotation, quoted_lines},
    reading::Reading,
    sentence::sentences,
    standalone::{only_shows, quotation_of},
    statement::{
        Statement,
        grammar::{GRAMMARS, Grammar},
        statements,
        word::{ClauseWord, WordKind},
    },
    token::Token,
};
use cairn_domain::{BeliefKind, EntityKind, Facet, SubjectType};

/// Words that a topic is made of, at most.
const MAX_TOPIC_WORDS: usize = 8;
/// The subject of a memory written in the first person.
const SPEAKER: &str = "user";
/// The attribute of what is over.
const ENDED: &str = "ended";
/// The attribute of what something is.
const BEING: &str = "is";
/// The subject of an instruction.
const AGENT: &str = "agent";
/// Words of a claim that has no verb, at least.
const MIN_VERBLESS_WORDS: usize = 3;

/// One key and the value that a text gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The kind of belief it would become.
    pub kind: BeliefKind,
    /// The kind of its subject.
    pub subject_type: SubjectType,
    /// Which.
    pub subject_id: String,
    /// Which side of it.
    pub facet: Facet,
    /// The canonical id of its subject.
    pub key: String,
    /// The value; `not …` if the sentence denies it.
    pub value: String,
    /// It only says which of many possible values it is not.
    pub denies: bool,
    /// The sentence says itself that something changed.
    pub change: bool,
    /// How sure the reading is, 0 to 1.
    pub confidence: f64,
    /// The sentence that says it.
    pub sentence: String,
    /// Whether that sentence says nothing else.
    pub alone: bool,
    /// The value without what denies it.
    pub(crate) said: String,
    /// The part that may differ from another claim of the same key.
    compared: Vec<Compared>,
    pub(crate) topic: Option<String>,
    pub(crate) subject: String,
    pub(crate) grammar: usize,
}

/// Stands between joined texts of memories that were written before they got lines of their own.
const GLUE: &str = " · ";

/// A word of a value, and what its forms have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Compared {
    text: String,
    key: String,
}

/// The registry's entry for a name: its kind and its canonical address.
pub type Known = (EntityKind, String);

/// The claims of a text, each once. `known` is asked for names by their address.
pub fn claims(text: &str, mut known: impl FnMut(&str) -> Option<Known>) -> Vec<Claim> {
    let mut found: Vec<Claim> = Vec::new();
    // A list of quotations claims what they say; its title says nothing.
    let quoted = quoted_lines(text);
    let texts: Vec<&str> = if quoted.is_empty() {
        text.lines().flat_map(|line| line.split(GLUE)).collect()
    } else {
        quoted.into_iter().filter_map(quotation).collect()
    };
    for text in texts {
        let (quoted, said) = quotation_of(text);
        if quoted.is_some_and(only_shows) {
            continue;
        }
        let speaker = quoted.map_or_else(|| SPEAKER.to_owned(), speaker_in_claims);
        for sentence in sentences(said) {
            let said = statements(sentence, &speaker);
            for statement in said.iter().filter(|statement| is_predicated(statement, sentence)) {
                let claim = claim(statement, sentence, said.len() == 1, &mut known);
                let is_new = |claim: &Claim| {
                    found.iter().all(|other| (&other.key, &other.value) != (&claim.key, &claim.value))
                };
                found.extend(claim.filter(|claim| claim.can_be_held() && is_new(claim)));
            }
        }
    }
    found
}

/// The statements of a memory; those of a quotation are its speaker's.
fn spoken_statements(text: &str) -> Vec<Statement> {
    let (quoted, said) = quotation_of(text);
    if quoted.is_some_and(only_shows) {
        return Vec::new();
    }
    statements(said, &quoted.map_or_else(|| SPEAKER.to_owned(), speaker_in_claims))
}

/// Who speaks in a quotation, as the subject of statements.
fn speaker_in_claims(name: &str) -> String {
    let is_user = (0..GRAMMARS.len()).any(|place| words(place).named(BeliefsClass::User) == name);
    if is_user { SPEAKER.to_owned() } else { name.to_lowercase() }
}

/// Whether a sentence says something of its subject, and is no heading, call or fragment that was read as if it did: "Cup
/// report.", "Running news: 8 km today".
fn is_predicated(statement: &Statement, sentence: &str) -> bool {
    let reading = Reading::of(sentence);
    let words: Vec<String> = reading.tokens().iter().map(Token::whole_fold).collect();
    let lexicon = words_of(statement);
    if !lexicon.has_copulas() {
        // A predicate without a verb needs more than a call: "evet komutanım".
        return statement.attribute != BEING || words.len() >= MIN_VERBLESS_WORDS;
    }
    match statement.attribute.as_str() {
        BEING => {
            let short = |word: &String| word.split_once('\'').is_some_and(|(_, ending)| ending == "s");
            words.iter().any(|word| lexicon.is_copula(word) || short(word))
        }
        // An instruction begins with the bare verb; "running" is none.
        verb if statement.subject == AGENT && !verb.contains(['/', ' ']) => {
            words.iter().any(|word| word == verb)
        }
        _ => true,
    }
}

fn words_of(statement: &Statement) -> &'static BeliefWords {
    words(statement.frame.grammar)
}

/// Whose things a text says are over: the ids of their subjects, as claims spell them.
pub fn ended_for(text: &str) -> Vec<String> {
    let said = spoken_statements(text);
    let over = said.iter().filter(|statement| statement.attribute == ENDED);
    let mut subjects: Vec<String> =
        over.filter_map(|statement| statement.subject.split('/').next()).map(segment).collect();
    subjects.dedup();
    subjects
}

/// Whether what a text says is over according to another.
pub fn is_over(text: &str, ended: &str) -> bool {
    let (old, new) = (spoken_statements(text), spoken_statements(ended));
    let old = Saying { text, statements: &old };
    let found = contradiction(&old, &Saying { text: ended, statements: &new });
    found.is_some_and(|found| found.clash == Clash::Ended)
}

/// Whether two claims of one key say the same: what one says is all in what the other says. Between languages, whose endings
/// are cut in their own way, words agree when one begins the other.
pub fn agree(one: &Claim, other: &Claim) -> bool {
    one.denies == other.denies && one.is_negated() == other.is_negated() && same_value(one, other)
}

/// Whether a claim denies what another says.
pub fn denied_by(held: &Claim, voice: &Claim) -> bool {
    voice.denies && same_value(held, voice)
}

/// Whether a value of this facet only says what somebody does, has or is, and fills no slot that a question asks for.
pub fn is_remark(facet: Facet, value: &str) -> bool {
    match facet {
        Facet::Habit | Facet::Owns => true,
        Facet::Status => value.contains(' '),
        _ => false,
    }
}

/// Whether two values say the same, as far as that can be told without the sentences they come from.
pub fn values_agree(one: &str, other: &str) -> bool {
    let polar = |value: &str| value.starts_with("not ");
    let within = |a: &str, b: &str| a.split(' ').all(|a| b.split(' ').any(|b| a == b || begins(a, b)));
    polar(one) == polar(other) && (within(one, other) || within(other, one))
}

impl Claim {
    /// Whether it says enough to be held: a part of a longer sentence that fills no slot is said in passing.
    fn can_be_held(&self) -> bool {
        self.alone || !is_remark(self.facet, &self.said)
    }

    fn is_negated(&self) -> bool {
        self.value != self.said
    }
}

fn same_value(one: &Claim, other: &Claim) -> bool {
    let same_language = one.grammar == other.grammar;
    let alike = |a: &Compared, b: &Compared| {
        a.text == b.text || if same_language { a.key == b.key } else { begins(&a.text, &b.text) }
    };
    let within = |a: &[Compared], b: &[Compared]| a.iter().all(|a| b.iter().any(|b| alike(a, b)));
    within(&one.compared, &other.compared) || within(&other.compared, &one.compared)
}

/// Whether one of two words of four letters or more begins the other, and hardly anything follows.
fn begins(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let numbers = a.bytes().chain(b.bytes()).any(|byte| byte.is_ascii_digit());
    !numbers && short.len() >= 4 && long.len() - short.len() <= 3 && long.starts_with(short)
}

/// The key and value of a statement before its subject is known.
struct Slotted {
    facet: Facet,
    topic: Option<String>,
    value: String,
    compared: Vec<Compared>,
    /// One of many values is said, so that denying it leaves the others.
    open: bool,
}

impl Slotted {
    /// One of many values.
    fn one(facet: Facet, topic: Option<String>, words: &[&ClauseWord]) -> Self {
        let compared = words.iter().map(|word| Compared { text: word.text.clone(), key: word.key.clone() });
        Self { facet, topic, value: texts(words), compared: compared.collect(), open: true }
    }

    /// Whether something is so: the topic says what, and only the numbers in it can differ.
    fn whether(facet: Facet, topic: String, words: &[&ClauseWord]) -> Self {
        let numbers: Vec<&ClauseWord> = words.iter().copied().filter(|word| is_measure(word)).collect();
        Self { value: texts(words), open: false, ..Self::one(facet, Some(topic), &numbers) }
    }
}

fn claim(
    statement: &Statement,
    sentence: &str,
    alone: bool,
    known: &mut dyn FnMut(&str) -> Option<Known>,
) -> Option<Claim> {
    let grammar = &GRAMMARS[statement.frame.grammar];
    let mut path = statement.subject.split('/');
    // What the user does with others, the user does.
    let others = |step: &&str| !words(statement.frame.grammar).is_others(step);
    let (root, owned): (&str, Vec<&str>) = (path.next()?, path.filter(others).collect());
    let Slotted { facet, topic, value, compared, open } = slotted(statement, grammar)?;
    if value.is_empty() {
        return None;
    }
    let subject = match subject(root, statement.frame.grammar, known) {
        // Whoever is something to somebody is somebody.
        (SubjectType::Global, id, _) if facet == Facet::Relationship => {
            (SubjectType::Entity, slug(&id), Some(EntityKind::Person))
        }
        subject => subject,
    };
    let (facet, topic) = told(facet, topic, root, &subject, &owned, statement);
    let kind = kind(&subject, facet);
    let slot = slot(facet, topic.as_deref());
    let denies = statement.negated && open;
    Some(Claim {
        key: canonical_key(subject.0, &subject.1, kind, &slot),
        kind,
        subject_type: subject.0,
        subject_id: segment(&subject.1),
        facet,
        value: if statement.negated { format!("not {value}") } else { value.clone() },
        denies,
        change: statement.change,
        confidence: statement.confidence,
        sentence: sentence.to_owned(),
        alone,
        said: value,
        compared,
        topic,
        subject: root.to_owned(),
        grammar: statement.frame.grammar,
    })
}

/// The subject of a claim: its type, its id, and its kind if the registry knows it.
type ClaimSubject = (SubjectType, String, Option<EntityKind>);

fn subject(root: &str, grammar: usize, known: &mut dyn FnMut(&str) -> Option<Known>) -> ClaimSubject {
    match root {
        "user" => return (SubjectType::Entity, root.to_owned(), Some(EntityKind::Person)),
        "agent" => return (SubjectType::Agent, "self".to_owned(), None),
        _ if words(grammar).is_self(root) => return (SubjectType::Agent, "self".to_owned(), None),
        _ => {}
    }
    let words = words(grammar);
    let bare: Vec<&str> = root.split(' ').filter(|word| !words.is_project(word)).collect();
    let project = bare.len() < root.split(' ').count() && !bare.is_empty();
    let bare = bare.join(" ");
    let found = known(&slug(root)).or_else(|| if project { known(&slug(&bare)) } else { None });
    match found {
        _ if project => (SubjectType::Project, slug(&bare), Some(EntityKind::Project)),
        Some((kind @ EntityKind::Project, slug)) => (SubjectType::Project, slug, Some(kind)),
        Some((kind @ (EntityKind::Tool | EntityKind::Tech), slug)) => (SubjectType::Tool, slug, Some(kind)),
        Some((kind, slug)) => (SubjectType::Entity, slug, Some(kind)),
        None => (SubjectType::Global, root.to_owned(), None),
    }
}

fn kind((subject, id, entity): &ClaimSubject, facet: Facet) -> BeliefKind {
    match subject {
        SubjectType::Agent => BeliefKind::SelfModel,
        SubjectType::Global => BeliefKind::WorldFact,
        SubjectType::Project => BeliefKind::ProjectState,
        SubjectType::Tool if facet == Facet::Status => BeliefKind::RuntimeState,
        SubjectType::Tool => BeliefKind::ToolingState,
        SubjectType::Entity => match facet {
            Facet::Relationship => BeliefKind::RelationshipFact,
            Facet::Plan => BeliefKind::Commitment,
            Facet::Likes
            | Facet::Prefers
            | Facet::Favourite
            | Facet::Uses
            | Facet::ResponseStyle
            | Facet::DecisionPreference
            | Facet::DeliveryPreference => BeliefKind::OperatorPreference,
            _ if id == "user" || *entity == Some(EntityKind::Person) => BeliefKind::Identity,
            _ => BeliefKind::WorldFact,
        },
    }
}

/// The facet and the topic as the whole says them: whose it is stands in the topic, and words can tell a finer facet.
fn told(
    facet: Facet,
    topic: Option<String>,
    root: &str,
    subject: &ClaimSubject,
    owned: &[&str],
    statement: &Statement,
) -> (Facet, Option<String>) {
    let grammar = &GRAMMARS[statement.frame.grammar];
    let words = words(statement.frame.grammar);
    let key = |phrase: &str| phrase.split(' ').map(|word| grammar.key(word)).collect::<Vec<_>>().join(" ");
    // A topic that begins with what somebody or something has: "sister-residence".
    let inner = |facet: Facet, topic: Option<String>| match facet {
        Facet::Property | Facet::Habit | Facet::Status => topic.unwrap_or_else(|| facet.to_string()),
        _ => topic.map_or_else(|| facet.to_string(), |topic| format!("{facet} {topic}")),
    };
    if let Some(first) = owned.first() {
        let whose: Vec<String> = owned.iter().map(|step| key(step)).collect();
        let is_relative = first.split(' ').any(|word| words.is_relation(&key(word)));
        let about = if is_relative { Facet::Relationship } else { Facet::Property };
        return (about, Some(once(&format!("{} {}", whose.join(" "), inner(facet, topic)))));
    }
    let of_topic = |topic: &str| topic.split([' ', '-', '+']).find_map(|word| words.facet(&key(word)));
    let finer = topic.as_deref().and_then(of_topic).filter(|finer| match subject.0 {
        SubjectType::Entity => {
            let style =
                [Facet::ResponseStyle, Facet::DecisionPreference, Facet::DeliveryPreference].contains(finer);
            style && [Facet::Likes, Facet::Prefers, Facet::Favourite, Facet::Habit].contains(&facet)
        }
        SubjectType::Project | SubjectType::Tool => {
            let work = [Facet::Risk, Facet::FailureMode, Facet::BestPath, Facet::VerificationPattern]
                .contains(finer);
            work && [Facet::Habit, Facet::Status].contains(&facet)
        }
        SubjectType::Agent | SubjectType::Global => false,
    });
    let facet = finer.unwrap_or(facet);
    if subject.0 == SubjectType::Global {
        return (facet, Some(once(&format!("{} {}", key(root), topic.unwrap_or_default()))));
    }
    (facet, topic)
}

/// Which slot a statement fills, and with what. What was so once, and that something ended, is no claim of its own.
fn slotted(statement: &Statement, grammar: &Grammar) -> Option<Slotted> {
    let frame = &statement.frame;
    let attribute = statement.attribute.as_str();
    let value: Vec<&ClauseWord> = frame.value.iter().collect();
    let all: Vec<&ClauseWord> = frame.words().collect();
    let own = |facet, rest: &str| {
        // What there is to choose from is spelt by its keys already.
        let key = |word: &str| if rest.contains('+') { word.to_owned() } else { grammar.key(word) };
        let topic: Vec<String> = rest.split([' ', '+']).map(key).collect();
        Some(Slotted::one(facet, Some(topic.join(" ")), &value))
    };
    let whether =
        |facet| Some(topic(&all)).filter(|it| !it.is_empty()).map(|it| Slotted::whether(facet, it, &all));
    if attribute.starts_with("past/") || attribute == ENDED {
        return None;
    }
    if let Some(slot) = attribute.strip_prefix("prefers/") {
        return own(Facet::Prefers, slot);
    }
    if let Some(slot) = attribute.strip_prefix("uses/") {
        return if statement.single { own(Facet::Uses, slot) } else { whether(Facet::Uses) };
    }
    if let Some(slot) = attribute.strip_prefix("favourite ") {
        return own(Facet::Favourite, slot);
    }
    if let Some(thing) = attribute.strip_prefix("has/") {
        return Some(Slotted::whether(Facet::Owns, grammar.key(thing), &all));
    }
    let one = |facet| Some(Slotted::one(facet, None, &value));
    match attribute {
        "name" => one(Facet::Name),
        "age" => one(Facet::Age),
        "residence" => one(Facet::Residence),
        "employer" => one(Facet::Employer),
        "school" => one(Facet::School),
        "profession" => one(Facet::Occupation),
        // Numbers in what is liked or used belong to it: "80s music", "port 80".
        "likes" => whether(Facet::Likes).map(settled),
        "prefers" => whether(Facet::Prefers).map(settled),
        "uses" => whether(Facet::Uses).map(settled),
        "owns" => whether(Facet::Owns).map(settled),
        "plan" => measured(Facet::Plan, "", &all),
        "is" => being(&all, grammar, frame.grammar),
        _ if statement.single || grammar.slot_noun(&frame.attribute).is_some() || attribute == "location" => {
            let relation = super::lexicon::words(frame.grammar).is_relation(&frame.attribute);
            let facet = if relation { Facet::Relationship } else { Facet::Property };
            Some(Slotted::one(facet, Some(attribute.to_owned()), &value))
        }
        _ => measured(Facet::Habit, &frame.attribute, &all),
    }
}

/// Whether something is so, and nothing of it can differ.
fn settled(slotted: Slotted) -> Slotted {
    Slotted { compared: Vec::new(), ..slotted }
}

/// "X is …": a state that has an opposite, what X is to somebody, or plainly what X is.
fn being(all: &[&ClauseWord], grammar: &Grammar, place: usize) -> Option<Slotted> {
    if let [word] = all
        && let Some((pair, side)) = grammar.state_of(word)
    {
        let compared = vec![Compared { text: side.to_owned(), key: side.to_owned() }];
        let (facet, topic, value) = (Facet::Status, Some(pair.to_owned()), word.text.clone());
        return Some(Slotted { facet, topic, value, compared, open: false });
    }
    let words = super::lexicon::words(place);
    let relation = all.iter().any(|word| words.is_relation(&word.key));
    measured(if relation { Facet::Relationship } else { Facet::Status }, "", all)
}

/// Whether something is so; numbers and dates in it are what may change about it.
fn measured(facet: Facet, attribute: &str, all: &[&ClauseWord]) -> Option<Slotted> {
    let plain: Vec<&ClauseWord> = all.iter().copied().filter(|word| !is_measure(word)).collect();
    let topic = once(&format!("{attribute} {}", topic(&plain)));
    (!topic.is_empty()).then(|| Slotted::whether(facet, topic, all))
}

/// Whether a word says how much, or when in a year.
fn is_measure(word: &ClauseWord) -> bool {
    matches!(word.kind, WordKind::Number | WordKind::Daypart | WordKind::Month)
}

/// The topic part of a key, made of the first few words.
fn topic(words: &[&ClauseWord]) -> String {
    once(&words.iter().take(MAX_TOPIC_WORDS).map(|word| word.key.as_str()).collect::<Vec<_>>().join(" "))
}

/// The words of a topic, none right after itself.
fn once(topic: &str) -> String {
    let mut words: Vec<&str> = topic.split_whitespace().collect();
    words.dedup();
    words.join(" ")
}

fn texts(words: &[&ClauseWord]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ").replace('_', " ")
}

#[cfg(test)]
mod tests;
