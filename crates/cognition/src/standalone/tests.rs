use super::*;

fn by<'a>(speaker: &'a str, other: Option<&'a str>, last_entity: Option<&'a str>) -> SpeakerContext<'a> {
    SpeakerContext { speaker, other, last_entity }
}

fn standalone(text: &str, context: &SpeakerContext) -> String {
    standalone_in(&Reading::of(text), text, context)
}

/// covers: C-75, C-131
#[test]
fn what_a_speaker_says_of_themselves_is_said_of_them() {
    let cases = include_str!("../../tests/data/standalone.tsv");
    let mut wrong = Vec::new();
    for line in cases.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let known = |cell: &'static str| Some(cell).filter(|cell| *cell != "-");
        let said = standalone(cells[3], &by(cells[0], known(cells[1]), known(cells[2])));
        if said != cells[4] {
            wrong.push(format!("{}\n  is  {said}\n  not {}", cells[3], cells[4]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// covers: C-76
#[test]
fn a_statement_is_at_most_so_long_and_ends_after_a_sentence_or_a_word() {
    let context = by("User", None, None);
    let sentence = "I like green tea in the morning. ";
    let long = standalone(&sentence.repeat(40), &context);
    assert!(long.chars().count() <= STANDALONE_CHARS && long.ends_with("morning.”"), "{long}");
    let words = standalone(&"müzik ".repeat(200), &context);
    assert!(words.chars().count() <= STANDALONE_CHARS && words.ends_with("müzik"), "{words}");
    assert_eq!(standalone(&"x".repeat(2_000), &context).chars().count(), STANDALONE_CHARS);
}

#[test]
fn a_name_takes_the_endings_of_its_language() {
    let turkish = voices().iter().find(|voice| voice.language.code == "tr").expect("a voice");
    for (name, case, expected) in [
        ("User", "possessive", "Kullanıcının"),
        ("Ayşe", "possessive", "Ayşe'nin"),
        ("Murat", "possessive", "Murat'ın"),
        ("Uğur", "dative", "Uğur'a"),
        ("Gül", "accusative", "Gül'ü"),
        ("Ece", "instrumental", "Ece'yle"),
        ("Assistant", "dative", "Asistana"),
        ("Ali", "", "Ali"),
    ] {
        assert_eq!(turkish.name(name, case), expected);
    }
}

#[test]
fn odd_texts_do_no_harm() {
    let context = by("User", Some("Ana"), Some("Zoe"));
    for text in
        ["", "I", "i'm", "my", "\"", "“", "I \"", "benim", "ben", "yorum", "m", "um", "well,", "İİ", "é", "’"]
    {
        let _ = standalone(text, &context);
    }
    for piece in ["I ", "\"", "[", "benim ", "I am and ", "«", "seviyorum ", "well, "] {
        let said = standalone(&piece.repeat(200_000), &context);
        assert!(said.chars().count() <= STANDALONE_CHARS);
    }
}
