use super::*;
use proptest::prelude::*;

/// covers: C-55, C-56, C-143, X-C8
#[test]
fn one_look_tells_the_kind_and_the_route() {
    let mut wrong = Vec::new();
    for (question, kind, route) in [
        ("What is a flywheel?", Kind::Definition, Route::Factual),
        ("What does idempotent mean?", Kind::Definition, Route::Factual),
        ("How do I reset the router?", Kind::Howto, Route::General),
        ("how to bake sourdough", Kind::Howto, Route::General),
        ("Why did we choose the blue one?", Kind::Reasoning, Route::Causal),
        ("What made her change her mind?", Kind::Reasoning, Route::Causal),
        ("Where do I keep the spare key?", Kind::Lookup, Route::Factual),
        ("What is my sister's name?", Kind::Lookup, Route::Factual),
        ("Which port does the database listen on?", Kind::Technical, Route::Factual),
        ("what was that timeout error again", Kind::Technical, Route::Factual),
        ("What music do I like?", Kind::Preference, Route::Preference),
        ("What's her favourite tea?", Kind::Preference, Route::Preference),
        ("What was the hotel like?", Kind::Lookup, Route::Factual),
        ("When did I start to like jazz?", Kind::Preference, Route::Temporal),
        ("When did the lease begin?", Kind::Lookup, Route::Temporal),
        ("Why and when did we move?", Kind::Reasoning, Route::Causal),
        ("When and why did we move?", Kind::Reasoning, Route::Temporal),
        ("How long have I had the car?", Kind::Lookup, Route::Temporal),
        ("In what order did we visit the museums?", Kind::General, Route::Temporal),
        ("Who is Deniz?", Kind::Definition, Route::EntityProfile),
        ("Tell me about Marmaris", Kind::General, Route::EntityProfile),
        ("tell me about it", Kind::General, Route::General),
        ("Did it rain?", Kind::General, Route::General),
        ("Entropi nedir?", Kind::Definition, Route::Factual),
        ("Ekmek nasıl yapılır?", Kind::Howto, Route::General),
        ("Sunucuyu nasıl kurabilirim?", Kind::Howto, Route::General),
        ("Neden taşındık?", Kind::Reasoning, Route::Causal),
        ("Yedek anahtar nerede?", Kind::Lookup, Route::Factual),
        ("Hangi veritabanını kullanıyoruz?", Kind::Technical, Route::Factual),
        ("Hangi müziği seviyorum?", Kind::Preference, Route::Preference),
        ("Kahveyi nasıl tercih ederim?", Kind::Preference, Route::Preference),
        ("Ne zaman taşındık?", Kind::General, Route::Temporal),
        ("Deniz kimdir?", Kind::Definition, Route::EntityProfile),
        ("Marmaris hakkında ne biliyorsun?", Kind::General, Route::EntityProfile),
        ("Kira sözleşmesi hangi yıl başladı?", Kind::Lookup, Route::Temporal),
        ("", Kind::General, Route::General),
    ] {
        let found = intent(question);
        if (found.kind, found.route) != (kind, route) {
            wrong.push(format!("{question}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_shape_of_the_answer_is_told() {
    let mut wrong = Vec::new();
    for (question, shape) in [
        ("When did I buy the bike?", Shape::When),
        ("Do you remember when we met?", Shape::When),
        ("What year was the roof mended?", Shape::When),
        ("What did I drink when I was in Porto?", Shape::Other),
        ("How long did the repair take?", Shape::HowLong),
        ("How many weeks passed between the two visits?", Shape::HowLong),
        ("How many plants do I own?", Shape::HowMany),
        ("How often do I swim?", Shape::HowMany),
        ("In what order did I read the three books?", Shape::Order),
        ("Which trip happened first, Porto or Bergen?", Shape::Order),
        ("Did I sell the piano?", Shape::YesNo),
        ("Is the shop still open?", Shape::Current),
        ("Do you know where the drill is?", Shape::Other),
        ("Can you list my allergies?", Shape::List),
        ("What are my plans?", Shape::List),
        ("Which books have I read?", Shape::List),
        ("What is my current address?", Shape::Current),
        ("Where do I live now?", Shape::Current),
        ("Where do I live?", Shape::Other),
        ("I sold the piano in May. How many days ago was that?", Shape::HowLong),
        ("Bisikleti ne zaman aldım?", Shape::When),
        ("Hangi yıl evlendik?", Shape::When),
        ("Onarım ne kadar sürdü?", Shape::HowLong),
        ("Burada kaç yıldır oturuyorum?", Shape::HowLong),
        ("Kaç bitkim var?", Shape::HowMany),
        ("Kitapları hangi sırayla okudum?", Shape::Order),
        ("Bergen'e mi Porto'ya mı önce gittik?", Shape::Order),
        ("Piyanoyu sattım mı?", Shape::YesNo),
        ("Alerjilerim neler?", Shape::List),
        ("Şu an nerede oturuyorum?", Shape::Current),
        ("Nerede oturuyorum?", Shape::Other),
        ("Bana alerjilerimi söyler misin?", Shape::Other),
    ] {
        let found = intent(question);
        if found.shape != shape {
            wrong.push(format!("{question}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_words_that_decided_are_told() {
    let found = intent("So, when did the lease begin?");
    let words: Vec<(&str, &str)> = found.because.iter().map(|it| (it.label, it.words.as_str())).collect();
    assert_eq!(words, [("lookup", "when"), ("temporal", "when did"), ("when", "when did")]);
    assert_eq!(intent("blue").because, []);
}

#[test]
fn hostile_questions_are_answered() {
    for piece in
        ["why ", "how many ", "?", "ne zaman ", "which x ", "mi ", "tell me about Ana ", "🙂", "what are "]
    {
        let _ = intent(&piece.repeat(100_000 / piece.len()));
    }
    assert_eq!(intent(&format!("{} When did it end?", "word ".repeat(3_000))).shape, Shape::When);
}

proptest! {
    #[test]
    fn any_text_has_an_intent(text in "\\PC{0,200}") {
        let found = intent(&text);
        prop_assert!(found.because.len() <= 3);
    }
}
