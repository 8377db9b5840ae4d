//! Tests of which words tell an intention, and of its trigger.

use super::*;
use cairn_domain::TriggerKind;
use proptest::prelude::*;

/// covers: C-261
#[test]
fn an_intention_is_known_by_who_says_it_and_its_trigger_is_read() {
    let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
    let day = |day: &str| IntentionTrigger::on_day(day.parse().expect("a day"), None);
    let (ece, billing) = ("Ece", "src/billing.rs");
    for (role, text, trigger) in [
        (Role::User, "Remind me on Friday to send the invoice.", Some(day("2026-11-20"))),
        (Role::User, "Remind me before Friday to send the invoice.", Some(day("2026-11-19"))),
        (Role::Assistant, "I'll remind you tomorrow.", Some(day("2026-11-19"))),
        (Role::Assistant, "Remind me on Friday.", None),
        (
            Role::User,
            "When Ece calls, tell her about the lease.",
            Some(IntentionTrigger::at(TriggerKind::Person, ece)),
        ),
        (
            Role::User,
            "Next time we touch src/billing.rs, check the rounding.",
            Some(IntentionTrigger::at(TriggerKind::File, billing)),
        ),
        (
            Role::User,
            "When Ece calls tell her about the lease.",
            Some(IntentionTrigger::at(TriggerKind::Person, ece)),
        ),
        (
            Role::User,
            "Ece ile konuştuğumuzda tekneyi sorayım.",
            Some(IntentionTrigger::at(TriggerKind::Person, ece)),
        ),
        (Role::User, "When Ece calls the dog barks.", None),
        (Role::User, "Ece gelince ev kalabalık olur.", None),
        (
            Role::User,
            "Remind me at 5 pm to call Deniz.",
            Some(IntentionTrigger::on_day("2026-11-18".parse().expect("a day"), Some(1_020))),
        ),
        (Role::User, "That reminds me of Friday.", None),
        (
            Role::User,
            "The clocks change on Sunday, so remind me Saturday night to move the oven.",
            Some(day("2026-11-21")),
        ),
        (
            Role::Assistant,
            "Get some rest tonight, and I'll ask you on Friday how it went.",
            Some(day("2026-11-20")),
        ),
        (Role::User, "Cumaya kadar vermem gerek, perşembe günü bana hatırlat.", Some(day("2026-11-19"))),
        (Role::User, "She goes 'remind me on Friday' and I'm like no.", None),
        (Role::User, "Remind me to water the plants.", Some(IntentionTrigger::anytime())),
    ] {
        let found = told_intentions(text, role, said);
        assert_eq!(found.first().map(|it| it.trigger.clone()), trigger, "{text}");
    }
}

/// covers: C-261
#[test]
fn some_are_told_only_with_a_day_and_a_topic_is_told_without_its_verb() {
    let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
    let day = |day: &str| IntentionTrigger::on_day(day.parse().expect("a day"), None);
    for (role, text, trigger) in [
        (Role::User, "I want to be reminded on Friday.", Some(day("2026-11-20"))),
        (Role::User, "Could you let me know on Friday that the permit ends?", Some(day("2026-11-20"))),
        (Role::User, "Let me know if you need anything.", None),
        (Role::Assistant, "I'll take another look at this tomorrow.", Some(day("2026-11-19"))),
        (Role::Assistant, "I'll look into it.", None),
        (
            Role::User,
            "When I'm next in Porto, I want to buy that cheese.",
            Some(IntentionTrigger::at(TriggerKind::Topic, "porto")),
        ),
        (
            Role::User,
            "Bir dahaki sefere fatura koduna dokunduğumuzda, yuvarlamaya bak.",
            Some(IntentionTrigger::at(TriggerKind::Topic, "fatura koduna")),
        ),
        (
            Role::User,
            "Sürüm çıkarmadan önce hata yazısını kaldıralım.",
            Some(IntentionTrigger::at(TriggerKind::Topic, "sürüm")),
        ),
        (
            Role::User,
            "Ayrıştırıcıya döndüğümüzde, eski grameri silelim.",
            Some(IntentionTrigger::at(TriggerKind::Topic, "ayrıştırıcıya")),
        ),
        (
            Role::User,
            "Next time we open the budget we should fix the totals.",
            Some(IntentionTrigger::at(TriggerKind::Topic, "budget")),
        ),
        (Role::User, "If Ece calls it off, we lose the deposit.", None),
    ] {
        let found = told_intentions(text, role, said);
        assert_eq!(found.first().map(|it| it.trigger.clone()), trigger, "{text}");
    }
}

#[test]
fn a_person_or_a_topic_is_known_by_its_words() {
    for (said, subject, is_there) in [
        ("Ece is on the phone", "Ece", true),
        ("Ece'yi aradım", "Ece", true),
        ("let us work on billing", "billing", true),
        ("fatura koduna bakalım", "fatura kodu", true),
        ("the onboarding page", "onboarding flow", false),
        ("the onboarding of new users", "onboarding flow users", true),
        ("what is for lunch?", "Ece", false),
    ] {
        assert_eq!(speaks_of(said, subject), is_there, "{said} / {subject}");
    }
}

/// covers: C-261
#[test]
fn an_errand_is_what_is_to_be_done() {
    let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
    for (words, errand_words) in [
        ("Remind me on Friday to send the invoice.", "to send the invoice."),
        ("When Ece calls, tell her the lease is signed.", "tell her the lease is signed."),
        ("When Ece calls tell her the lease is signed.", "tell her the lease is signed."),
        ("Remind me when Ece is spoken of: tell her", "tell her"),
        ("I'll check back in two weeks whether it held.", "I'll check back whether it held."),
        ("Don't let me forget the dentist on Monday.", "the dentist ."),
        ("Ece ile konuştuğumuzda tekneyi sorayım.", "tekneyi sorayım."),
    ] {
        let found = errand(words, said);
        assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), errand_words, "{words}");
    }
}

/// The kind of the first trigger that is read, with its subject or its day.
fn read(text: &str, role: Role) -> Option<(TriggerKind, String)> {
    let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
    let trigger = told_intentions(text, role, said).into_iter().next()?.trigger;
    let day = trigger.day.map_or_else(String::new, |day| day.to_string());
    Some((trigger.kind, trigger.subject + &day))
}

/// covers: C-261
#[test]
fn a_request_is_known_by_its_grammar_and_not_by_a_phrase() {
    for (text, kind, of) in [
        ("could u hassle me friday about the piano tuner", TriggerKind::Day, "2026-11-20"),
        ("on my mum's birthday, 3 August, prod me to call her", TriggerKind::Day, "2027-08-03"),
        ("would be great if you pinged me tmrw about the parcel", TriggerKind::Day, "2026-11-19"),
        ("leave this till wednesday and then poke me", TriggerKind::Day, "2026-11-25"),
        ("You remind me on Friday please.", TriggerKind::Day, "2026-11-20"),
        ("The vet is on the 25th. Tell me the evening before.", TriggerKind::Day, "2026-11-24"),
        ("Can we look at the fence on Friday? Remind me.", TriggerKind::Day, "2026-11-20"),
        ("The test is on 27 November. Two days before it I'd like a kick.", TriggerKind::Day, "2026-11-25"),
        (
            "In ten days the trial ends. I'd be grateful for a word from you then.",
            TriggerKind::Day,
            "2026-11-28",
        ),
        ("Monday. Insulin pickup. Remind me.", TriggerKind::Day, "2026-11-23"),
        ("I have to pay the rent on Friday. Will you make sure I do?", TriggerKind::Day, "2026-11-20"),
        ("please say something to me on the 29th about the visa", TriggerKind::Day, "2026-11-29"),
        ("cuma günü kirayı sor bakalım bana", TriggerKind::Day, "2026-11-20"),
        ("as soon as my dad rings back, let him know the car's fixed", TriggerKind::Person, "dad"),
        ("If Hannah drops in give her the spare set.", TriggerKind::Person, "Hannah"),
        ("I should thank Kenji when I see him next.", TriggerKind::Person, "Kenji"),
        ("whenever we next open pricing.py, lower the default", TriggerKind::File, "pricing.py"),
        ("Once we're back in the parser, let's rip out the old lexer.", TriggerKind::Topic, "parser"),
        ("Let's park the logo thing. When we pick it up again I wanna try red.", TriggerKind::Topic, "logo"),
        ("the moment anybody brings up the merger, tell me to keep quiet", TriggerKind::Topic, "merger"),
        ("cumartesi sabahı beni uyandır da pazara gidelim", TriggerKind::Day, "2026-11-21"),
        ("bu konuyu pazartesi tekrar konuşalım, hatırlatırsın", TriggerKind::Day, "2026-11-23"),
        ("Zeynep ararsa toplantının iptal olduğunu söyleyiver", TriggerKind::Person, "Zeynep"),
        ("Burak mesaj attığı zaman adresi yollarsın", TriggerKind::Person, "Burak"),
        ("ledger.rs'e tekrar girince sınırı yükselt", TriggerKind::File, "ledger.rs"),
        ("bi daha sigorta lafı geçerse bana de ki poliçe bitti", TriggerKind::Topic, "sigorta"),
    ] {
        assert_eq!(read(text, Role::User), Some((kind, of.to_owned())), "{text}");
    }
    for (text, day) in [
        ("Sure, next Tuesday I'll ask how the interview went.", "2026-11-24"),
        ("I'll make sure to remind you on Sunday.", "2026-11-22"),
        ("Pazartesi sabahı size mesaj atarım.", "2026-11-23"),
    ] {
        assert_eq!(read(text, Role::Assistant), Some((TriggerKind::Day, day.to_owned())), "{text}");
    }
}

/// covers: C-261
#[test]
fn what_is_reported_quoted_past_or_supposed_asks_for_nothing() {
    for text in [
        "She wrote \"poke me on Friday\" and then vanished.",
        "I told him to text me tomorrow.",
        "You were right to remind me on Tuesday.",
        "I was going to ask you to nudge me tomorrow but Sam already did.",
        "What would happen if I told you to remind me at 3?",
        "If I'd asked you to ping me on Friday, would it have worked?",
        "My watch buzzes me every hour to stand up.",
        "Can you tell me what's on Friday?",
        "The launch is on Friday. Tell me what happens then.",
        "Bana fark etmez, uyar.",
        "Could you show me the trains for Friday?",
        "When the kids come home they raid the fridge.",
        "Next time I will definitely take the train.",
        "Before we got the dog we travelled a lot.",
        "if you see any bugs, fix them",
        "can u remind me how to do a rebase",
        "cuma günü için bana bir şiir yaz",
        "bana yarınki hava durumunu söyler misin",
        "patron \"pazartesi hatırlat bana\" dedi",
        "hatırlat demiştim ya, gerek kalmadı",
        "kardeşim arayınca hep para ister",
        "eve gelince hemen uyudum",
    ] {
        assert_eq!(read(text, Role::User), None, "{text}");
    }
    for text in [
        "I'll look up the trains for Friday.",
        "If you'd like, I'll remind you on Friday.",
        "Do you want me to ping you on Monday?",
        "Size yarın yazabilirim isterseniz.",
    ] {
        assert_eq!(read(text, Role::Assistant), None, "{text}");
    }
}

proptest! {
    /// covers: C-158
    #[test]
    fn no_words_are_too_odd_to_be_read(
        text in "(when |if |before |remind me |on friday |the night before |Ece'nin |gelince |bi daha |yazarsa |[,:?.\"“”’İßı ]|[a-zA-Z]{1,6}){0,16}"
    ) {
        let said: Time = "2026-11-18T10:00:00Z".parse().expect("a time");
        for role in [Role::User, Role::Assistant] {
            for told in told_intentions(&text, role, said) {
                prop_assert!(text.contains(&told.words));
            }
        }
        errand(&text, said);
    }
}
