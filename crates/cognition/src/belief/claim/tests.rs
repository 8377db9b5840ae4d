use super::*;
use crate::entity::entities;
use proptest::prelude::*;

fn of(text: &str) -> Vec<Claim> {
    let mentions = entities(text);
    claims(text, |slug| mentions.iter().find(|one| one.slug == slug).map(|one| (one.kind, one.slug.clone())))
}

/// covers: K-13, K-44, K-45, K-46, K-47, K-48, K-49, K-50, X-K1, X-K2
#[test]
fn a_sentence_is_a_claim_under_its_key() {
    for (text, key, value) in [
        ("User lives in Oslo.", "entity:user:identity:residence", "oslo"),
        ("User moved to Bergen.", "entity:user:identity:residence", "bergen"),
        ("Kullanıcı Bergen'e taşındı.", "entity:user:identity:residence", "bergen"),
        ("User: “We live in Utrecht.”", "entity:user:identity:residence", "utrecht"),
        ("User prefers tea over coffee.", "entity:user:operator_preference:prefers.coffe-tea", "tea"),
        ("User works at Siemens.", "entity:user:identity:employer", "siemens"),
        (
            "User prefers PostgreSQL over MongoDB for ACID compliance.",
            "entity:user:operator_preference:prefers.mongodb-postgresql",
            "postgresql",
        ),
        (
            "Project callscrub.io is in active development, targeting Q2 launch.",
            "project:callscrub-io:project_state:status.activ-develop-target-q2-launch",
            "active development targeting q2 launch",
        ),
        (
            "The Telegram channel processes approximately 40 messages per day.",
            "global:world_fact:habit.telegram-channel-process-approxim-messag-day",
            "approximately 40 messages day",
        ),
        (
            "User responds best to concise technical summaries, not verbose explanations.",
            "entity:user:operator_preference:response_style.respond-best-concis-technic-summari",
            "best concise technical summaries",
        ),
        ("User prefers short answers.", "entity:user:operator_preference:response_style.answer", "short"),
        ("User can't stand jazz.", "entity:user:operator_preference:likes.jazz", "not jazz"),
        ("Project Atlas is paused.", "project:atlas:project_state:status.enabled", "paused"),
        ("PostgreSQL is running.", "tool:postgresql:runtime_state:status.enabled", "running"),
        ("The port of Redis is 6379.", "tool:redis:tooling_state:property.port", "6379"),
        ("The port is 443.", "global:world_fact:property.port", "443"),
        (
            "User's sister lives in Rome.",
            "entity:user:relationship_fact:relationship.sister-residence",
            "rome",
        ),
        ("User's boss is Ana.", "entity:user:relationship_fact:relationship.boss", "ana"),
        (
            "Richard is Jason's business partner.",
            "entity:richard:relationship_fact:relationship.jason-busi-partner",
            "jason business partner",
        ),
        ("User's dog is called Rex.", "entity:user:identity:property.dog-name", "rex"),
        ("User will move to Berlin in May.", "entity:user:commitment:plan.move-berlin", "move berlin may"),
        ("User smokes.", "entity:user:identity:habit.smoke", "smoke"),
        ("Assistant uses tabs.", "agent:self:self_model:uses.tab", "tabs"),
        ("Kullanıcı balık sevmiyor.", "entity:user:operator_preference:likes.balik", "not balik"),
        ("Kullanıcının doğum günü 4 Haziran.", "entity:user:identity:property.birthday", "4 haziran"),
    ] {
        let found = of(text);
        let [claim] = found.as_slice() else { panic!("{text}: {found:?}") };
        assert_eq!((claim.key.as_str(), claim.value.as_str()), (key, value), "{text}");
    }
}

#[test]
fn what_was_so_once_or_ended_is_no_claim() {
    for text in
        ["User used to live in Rome.", "User quit smoking.", "User thinks so.", "Kullanıcı sigarayı bıraktı."]
    {
        assert_eq!(of(text), [], "{text}");
    }
}

#[test]
fn what_is_over_is_told() {
    assert_eq!(ended_for("User quit smoking."), ["user"]);
    assert_eq!(ended_for("Kullanıcı sigarayı bıraktı."), ["user"]);
    assert!(ended_for("User smokes.").is_empty());
    for (text, ended, expected) in [
        ("User smokes.", "User quit smoking.", true),
        ("User smokes.", "User: “I quit smoking.”", true),
        ("Kullanıcı sigara içiyor.", "Kullanıcı sigarayı bıraktı.", true),
        ("User plays chess.", "User quit smoking.", false),
        ("User lives in Oslo.", "User lives in Bergen.", false),
    ] {
        assert_eq!(is_over(text, ended), expected, "{text} / {ended}");
    }
}

/// Two claims of one key, and whether they say the same; or no such two.
#[test]
fn claims_agree_when_nothing_in_them_differs() {
    for (one, other, expected) in [
        ("User lives in Berlin.", "User lives in Berlin Mitte.", Some(true)),
        ("User lives in Berlin.", "User lives in Bern.", Some(false)),
        ("User lives in Berlin.", "Kullanıcı Berlin'de yaşıyor.", Some(true)),
        ("User has two cats.", "User has a cat.", Some(true)),
        ("User has two cats.", "User has three cats.", Some(false)),
        ("User likes jazz.", "User does not like jazz.", Some(false)),
        ("Project Atlas is active.", "Project Atlas is running.", Some(true)),
        ("Project Atlas is active.", "Project Atlas is paused.", Some(false)),
        ("User likes jazz.", "User likes opera.", None),
        ("User uses port 80.", "User uses port 443.", None),
        ("User drinks coffee in the morning.", "User drinks coffee in the evening.", None),
        ("User is vegetarian.", "User is a nurse.", None),
        ("User's sister lives in Rome.", "User lives in Rome.", None),
    ] {
        let (first, second) = (of(one), of(other));
        let pair =
            first.iter().flat_map(|a| second.iter().map(move |b| (a, b))).find(|(a, b)| a.key == b.key);
        assert_eq!(pair.map(|(a, b)| agree(a, b)), expected, "{one} / {other}");
        assert_eq!(pair.map(|(a, b)| agree(b, a)), expected, "{other} / {one}");
    }
    assert!(values_agree("berlin mitte", "berlin") && !values_agree("berlin", "bern"));
    assert!(!values_agree("not jazz", "jazz"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// covers: K-118, I5
    #[test]
    fn the_same_words_make_the_same_keys(text in "\\PC{0,120}", name in "[A-Z][a-z]{2,8}") {
        let told = format!("User lives in {name}. {text} {name} is active.");
        let (first, second) = (of(&told), of(&told));
        prop_assert_eq!(&first, &second);
        for claim in first {
            let parts = claim.key.split(':').count();
            let global = claim.subject_type == SubjectType::Global;
            prop_assert_eq!(parts, if global { 3 } else { 4 }, "{}", claim.key);
            prop_assert!(!claim.value.is_empty());
            prop_assert!(agree(&claim, &claim));
        }
    }
}

#[test]
fn a_heading_or_a_call_claims_nothing() {
    for text in [
        "Cup report.",
        "Terminology time.",
        "evet komutanım",
        "Studio news.",
        "Good morning.",
        "Running news: 8 km today without shin pain.",
    ] {
        assert!(claims(text, |_| None).is_empty(), "{text}");
    }
    for text in [
        "The kiln is loud.",
        "User likes tea.",
        "Run the tests with make check.",
        "Always answer in Turkish.",
        "User's sister is a nurse.",
        "Benim kedim çok yaşlı.",
    ] {
        assert!(!claims(text, |_| None).is_empty(), "{text}");
    }
}

#[test]
fn a_quotation_claims_what_its_speaker_says_and_a_remark_in_passing_nothing() {
    for (text, keys) in [
        ("User: “I live in Bergen.”", vec!["entity:user:identity:residence"]),
        ("Kullanıcı: “Bergen'de yaşıyorum.”", vec!["entity:user:identity:residence"]),
        ("Ana: “I work at Siemens.” [asked: “Where do you work?”]", vec!["global:world_fact:employer.ana"]),
        (
            "User: “I hate tapering, I've cleaned the oven twice.”",
            vec!["entity:user:operator_preference:likes.taper"],
        ),
    ] {
        let found: Vec<String> = claims(text, |_| None).into_iter().map(|claim| claim.key).collect();
        assert_eq!(found, keys, "{text}");
        let quotes = |claim: &Claim| claim.sentence.contains(['“', '”']);
        assert!(!claims(text, |_| None).iter().any(quotes), "{text}");
    }
}
