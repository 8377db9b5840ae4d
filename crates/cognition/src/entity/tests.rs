use super::*;

fn named(text: &str) -> Vec<String> {
    entities(text).iter().map(|mention| format!("{}/{}", mention.name, mention.kind)).collect()
}

/// covers: C-72, C-74, X-B14
#[test]
fn an_entity_has_an_address_of_kind_and_slug() {
    let uris: Vec<String> =
        entities("We moved from postgres to ClickHouse at Bosch").iter().map(Mention::uri).collect();
    assert_eq!(uris, ["entity://tech/postgresql", "entity://tech/clickhouse", "entity://org/bosch"]);
}

#[test]
fn a_slug_is_plain_letters_and_hyphens() {
    for (name, expected) in [
        ("Node.js", "node-js"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("Ayşe Yılmaz", "ayse-yilmaz"),
        ("IĞDIR", "igdir"),
        ("AT&T", "at-t"),
        ("東京", "東京"),
        ("--", ""),
    ] {
        assert_eq!(slug(name), expected, "{name}");
    }
}

/// covers: W-20
#[test]
fn spellings_of_one_thing_are_one_entity() {
    assert_eq!(named("Postgres is PostgreSQL, k8s is Kubernetes"), ["PostgreSQL/tech", "Kubernetes/tech"]);
    assert_eq!(named("i moved the jobs from JS to k8s"), ["JavaScript/tech", "Kubernetes/tech"]);
}

/// covers: C-72
#[test]
fn a_time_is_no_name() {
    assert_eq!(named("I moved to Lisbon last March."), ["Lisbon/place"]);
    assert_eq!(named("User moved to Lisbon last March [2026-03]."), ["Lisbon/place"]);
    assert_eq!(named("Geçen Mart Ankara'ya taşındım."), ["Ankara/place"]);
}

/// covers: C-73
#[test]
fn at_most_eight_are_taken_each_once() {
    let text = "Python, Kotlin, Redis, Kafka, Docker, Linux, MySQL, SQLite, GraphQL, Terraform, Python";
    assert_eq!(entities(text).len(), MAX_ENTITIES);
    assert_eq!(named("Ana met Ana and Ana"), ["Ana/person"]);
}

#[test]
fn a_range_is_the_words_without_their_ending() {
    let text = "Dün Ankara’da Dr. Ayşe'nin yanındaydım";
    let words: Vec<&str> = entities(text).iter().map(|mention| &text[mention.range.clone()]).collect();
    assert_eq!(words, ["Ankara", "Ayşe"]);
}

#[test]
fn odd_texts_do_no_harm() {
    for text in [
        "",
        "'",
        "....",
        "A",
        "’s",
        "C+",
        "a'",
        "É\u{301}",
        "𝔸na",
        "\u{0}",
        "Mr.",
        "of Of of",
        "``",
        "&&& A&",
    ] {
        let _ = entities(text);
    }
    for piece in ["Ana of ", "[", "A", "O'", "É.", "🙂 ", "van Ana ", "A.B.", "x@y", "# "] {
        let _ = entities(&piece.repeat(200_000));
    }
}

#[test]
fn one_place_is_one_entity_in_every_language() {
    for (texts, slug) in [
        (["I moved to Lisbon", "Ece Lizbon'a geldi", "Sie wohnt in Lissabon", "I love Lisboa"], "lisbon"),
        (["We saw Florence", "Floransa'da kaldık", "Wir waren in Firenze", "a week in Florenz"], "florence"),
        (
            ["She is in Germany", "Almanya'da çalıştım", "Er lebt in Deutschland", "back to Germany"],
            "germany",
        ),
    ] {
        for text in texts {
            let found: Vec<String> = entities(text).into_iter().map(|mention| mention.slug).collect();
            assert!(found.contains(&slug.to_owned()), "{text}: {found:?}");
        }
    }
}

#[test]
fn units_codes_and_ordinary_words_are_no_persons_and_no_technology() {
    for text in ["The tea glass holds 100 ml", "34 ML of water", "I ran 12 km at 20 C", "250ml is enough"] {
        assert_eq!(named(text), [""; 0], "{text}");
    }
    assert_eq!(named("We train with ML"), ["ML/tech"]);
    assert_eq!(named("I signed up for the Bozkır Half-Marathon"), ["Bozkır Half-Marathon/concept"]);
    for text in [
        "Korktuğum oldu.",
        "Except Fridays I leave at four.",
        "VISA APPROVED.",
        "Running went well.",
        "It moves to Mondays",
    ] {
        assert_eq!(named(text), [""; 0], "{text}");
    }
    assert_eq!(named("I joined the A2 course"), ["A2/concept"]);
}
