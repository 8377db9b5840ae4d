//! Decomposing: a question that asks several things becomes several questions, each of which can be asked on its own. The
//! words are data, one file a language.

use crate::{
    entity::{Mention, entities},
    lexicon::JoinsClass,
    pattern::{PatternMatch, Patterns},
    sentence::sentences,
    temporal::told,
};
use cairn_domain::Time;
use std::{ops::Range, sync::LazyLock};

/// Maximum parts of a question.
pub const MAX_QUESTION_PARTS: usize = 4;

/// Longer questions are not decomposed.
const MAX_QUESTION_BYTES: usize = 2_000;
/// Minimum words of a part.
const MIN_PART_WORDS: usize = 2;

static JOINS: LazyLock<Patterns<JoinsClass>> = LazyLock::new(Patterns::read);

type JoinMatch = PatternMatch<JoinsClass>;

/// The questions that a question asks: itself alone, or two to four parts. A part that names nobody is given the names of
/// the first that does, in brackets, so that it can be answered without the others.
pub fn sub_questions(question: &str) -> Vec<String> {
    let whole = question.trim();
    if whole.is_empty() || whole.len() > MAX_QUESTION_BYTES {
        return vec![whole.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    for sentence in asking_sentences(whole) {
        parts.extend(clauses(sentence).into_iter().map(str::to_owned));
    }
    if parts.len() < 2 {
        parts = questions_by_name(whole);
    }
    if parts.len() < 2 {
        return vec![whole.to_owned()];
    }
    while parts.len() > MAX_QUESTION_PARTS {
        let last = parts.pop().unwrap_or_default();
        if let Some(before) = parts.last_mut() {
            before.push(' ');
            before.push_str(&last);
        }
    }
    with_shared_names(parts)
}

/// The sentences that ask, if there are several; else the whole.
fn asking_sentences(whole: &str) -> Vec<&str> {
    let is_asked = |sentence: &&str| sentence.contains(['?', '？', '؟']) && words(sentence) >= MIN_PART_WORDS;
    let asking: Vec<&str> = sentences(whole).into_iter().filter(is_asked).collect();
    if asking.len() > 1 { asking } else { vec![whole] }
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// The questions of one sentence.
fn clauses(sentence: &str) -> Vec<&str> {
    let found: Vec<JoinMatch> = JOINS.find(sentence).collect();
    let mut cuts: Vec<Range<usize>> =
        found.iter().filter_map(|it| cut_between(sentence, it, &found)).collect();
    cuts.sort_by_key(|cut| (cut.start, cut.end));
    let mut parts = Vec::new();
    let mut begin = 0;
    for cut in cuts {
        if cut.start < begin || words(&sentence[begin..cut.start]) < MIN_PART_WORDS {
            continue;
        }
        if words(&sentence[cut.end..]) < MIN_PART_WORDS || parts.len() + 1 == MAX_QUESTION_PARTS {
            break;
        }
        parts.push(trimmed_part(&sentence[begin..cut.start]));
        begin = cut.end;
    }
    parts.push(trimmed_part(&sentence[begin..]));
    parts
}

/// The range to drop between two questions, if this match separates two.
fn cut_between(sentence: &str, it: &JoinMatch, found: &[JoinMatch]) -> Option<Range<usize>> {
    let asks = |range: Range<usize>| {
        found.iter().any(|ask| {
            ask.class == JoinsClass::Asks && range.start <= ask.range.start && ask.range.end <= range.end
        })
    };
    let (start, end) = (it.range.start, it.range.end);
    match it.class {
        JoinsClass::Also => Some(start..end),
        JoinsClass::AndAsks => {
            let lead = start + it.range.len() - sentence[start..end].trim_start_matches([',', ' ']).len();
            let conjunction = sentence[lead..end].find(char::is_whitespace).unwrap_or(0);
            let begins_with_it =
                found.iter().any(|ask| ask.class == JoinsClass::Asks && ask.range.start == lead);
            let from = if begins_with_it { lead } else { lead + conjunction };
            // "When and where did we meet?" is one question.
            (!ends_asking(sentence, start, found)).then_some(start..from)
        }
        JoinsClass::AndBoth => {
            let parts_two = asks(0..start) && asks(end..sentence.len());
            (parts_two && !ends_asking(sentence, start, found)).then_some(start..end)
        }
        JoinsClass::Asks | JoinsClass::Names | JoinsClass::Together => None,
    }
}

/// Whether the words before a place end in a question word.
fn ends_asking(sentence: &str, at: usize, found: &[JoinMatch]) -> bool {
    let end = sentence[..at].trim_end_matches([',', ' ']).len();
    found.iter().any(|ask| ask.class == JoinsClass::Asks && ask.range.end == end)
}

fn trimmed_part(part: &str) -> &str {
    part.trim_matches(|c: char| c.is_whitespace() || c == ',' || c == ';')
}

/// One question for each of two or more names that a conjunction joins: "Where do Ana and Bora work?".
fn questions_by_name(whole: &str) -> Vec<String> {
    let found: Vec<JoinMatch> = JOINS.find(whole).collect();
    if found.iter().any(|it| it.class == JoinsClass::Together) {
        return Vec::new();
    }
    let mentions = entities(whole);
    let joined = |pair: &[Mention]| {
        let between = &whole[pair[0].range.end.min(pair[1].range.start)..pair[1].range.start];
        let is_join = |it: &JoinMatch| {
            it.class == JoinsClass::Names
                && it.range.start >= pair[0].range.end
                && it.range.end <= pair[1].range.start
        };
        let word = between.trim_matches([' ', ',']);
        word.is_empty() && between.contains(',') || words(word) == 1 && found.iter().any(is_join)
    };
    let Some(first) = mentions.windows(2).position(joined) else { return Vec::new() };
    let mut last = first + 1;
    while last + 1 < mentions.len()
        && last - first + 1 < MAX_QUESTION_PARTS
        && joined(&mentions[last..last + 2])
    {
        last += 1;
    }
    let group = mentions[first].range.start..mentions[last].range.end;
    let one = |mention: &Mention| {
        format!("{}{}{}", &whole[..group.start], &whole[mention.range.clone()], &whole[group.end..])
    };
    mentions[first..=last].iter().map(one).collect()
}

/// The names in a part that are no time: June may be either.
fn people_and_things(part: &str) -> Vec<Mention> {
    let times = told(part, Time::from_millis(0));
    let is_time = |mention: &Mention| times.iter().any(|told| told.words.contains(&mention.name));
    entities(part).into_iter().filter(|mention| !is_time(mention)).collect()
}

/// The parts, each with a name.
fn with_shared_names(parts: Vec<String>) -> Vec<String> {
    let names: Vec<Vec<Mention>> = parts.iter().map(|part| people_and_things(part)).collect();
    let Some(first) = names.iter().find(|names| !names.is_empty()) else { return parts };
    let known = first.iter().map(|mention| mention.name.as_str()).collect::<Vec<_>>().join(", ");
    let complete = |(part, names): (String, &Vec<Mention>)| {
        if names.is_empty() { format!("{part} ({known})") } else { part }
    };
    parts.into_iter().zip(&names).map(complete).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: C-187, C-188
    #[test]
    fn a_compound_question_falls_into_its_parts() {
        let mut wrong = Vec::new();
        for (question, expected) in [
            ("Where do I live? What is my job?", vec!["Where do I live?", "What is my job?"]),
            ("Where do I live and also what is my job?", vec!["Where do I live", "what is my job?"]),
            ("What is the cat called and how old is it?", vec!["What is the cat called", "how old is it?"]),
            ("I moved twice. Where do I live?", vec!["I moved twice. Where do I live?"]),
            ("When and where did the band play?", vec!["When and where did the band play?"]),
            ("What did I say about bread and butter?", vec!["What did I say about bread and butter?"]),
            ("Where do Deniz and Mehmet work?", vec!["Where do Deniz work?", "Where do Mehmet work?"]),
            ("How did Deniz and Mehmet meet?", vec!["How did Deniz and Mehmet meet?"]),
            ("Nerede oturuyorum ve kedimin adı ne?", vec!["Nerede oturuyorum", "kedimin adı ne?"]),
            ("Ne zaman ve nerede buluştuk?", vec!["Ne zaman ve nerede buluştuk?"]),
            ("Ekmek ve peynir aldım mı?", vec!["Ekmek ve peynir aldım mı?"]),
            ("Nerede oturuyorum? Ayrıca işim ne?", vec!["Nerede oturuyorum?", "Ayrıca işim ne?"]),
            ("blue", vec!["blue"]),
            ("", vec![""]),
            ("??", vec!["??"]),
        ] {
            let found = sub_questions(question);
            if found != expected {
                wrong.push(format!("{question}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_part_that_names_nobody_is_given_the_name() {
        let parts = sub_questions("Where does Mehmet work? And who is his boss?");
        assert_eq!(parts, ["Where does Mehmet work?", "And who is his boss? (Mehmet)"]);
        let parts = sub_questions("What did I plant in June 2022 and how tall is it?");
        assert_eq!(parts, ["What did I plant in June 2022", "how tall is it?"], "June is no person");
    }

    /// covers: C-188
    #[test]
    fn many_questions_are_four_at_most_and_no_word_is_lost() {
        let question = (0..9).map(|it| format!("What is word{it} about?")).collect::<Vec<_>>().join(" ");
        let parts = sub_questions(&question);
        assert_eq!(parts.len(), MAX_QUESTION_PARTS);
        assert_eq!(parts.join(" "), question);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn there_are_one_to_four_parts(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "what", "is", "and", "also", "where", "?", ",", "Ana", "Mehmet", "ve", "ne", "nerede", "mi", "when", "🙂",
                ]),
                0..30,
            ),
        ) {
            let parts = sub_questions(&words.join(" "));
            prop_assert!((1..=MAX_QUESTION_PARTS).contains(&parts.len()));
        }
    }
}
