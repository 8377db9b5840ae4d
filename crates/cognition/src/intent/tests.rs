use super::*;
use proptest::prelude::*;

/// covers: C-55, C-56, C-143, X-C8
#[test]
fn one_look_tells_the_kind_and_the_route() {
    let mut wrong = Vec::new();
    for (question, kind, route) in [
        ("What is a flywheel?", AnswerKind::Definition, Route::Factual),
        ("What does idempotent mean?", AnswerKind::Definition, Route::Factual),
        ("How do I reset the router?", AnswerKind::Howto, Route::General),
        ("how to bake sourdough", AnswerKind::Howto, Route::General),
        ("Why did we choose the blue one?", AnswerKind::Reasoning, Route::Causal),
        ("What made her change her mind?", AnswerKind::Reasoning, Route::Causal),
        ("Where do I keep the spare key?", AnswerKind::Lookup, Route::Factual),
        ("What is my sister's name?", AnswerKind::Lookup, Route::Factual),
        ("Which port does the database listen on?", AnswerKind::Technical, Route::Factual),
        ("what was that timeout error again", AnswerKind::Technical, Route::Factual),
        ("What music do I like?", AnswerKind::Preference, Route::Preference),
        ("What's her favourite tea?", AnswerKind::Preference, Route::Preference),
        ("What was the hotel like?", AnswerKind::Lookup, Route::Factual),
        ("When did I start to like jazz?", AnswerKind::Preference, Route::Temporal),
        ("When did the lease begin?", AnswerKind::Lookup, Route::Temporal),
        ("Why and when did we move?", AnswerKind::Reasoning, Route::Causal),
        ("When and why did we move?", AnswerKind::Reasoning, Route::Temporal),
        ("How long have I had the car?", AnswerKind::Lookup, Route::Temporal),
        ("In what order did we visit the museums?", AnswerKind::General, Route::Temporal),
        ("Who is Deniz?", AnswerKind::Definition, Route::EntityProfile),
        ("Tell me about Marmaris", AnswerKind::General, Route::EntityProfile),
        ("tell me about it", AnswerKind::General, Route::General),
        ("Did it rain?", AnswerKind::General, Route::General),
        ("Entropi nedir?", AnswerKind::Definition, Route::Factual),
        ("Ekmek nasıl yapılır?", AnswerKind::Howto, Route::General),
        ("Sunucuyu nasıl kurabilirim?", AnswerKind::Howto, Route::General),
        ("Neden taşındık?", AnswerKind::Reasoning, Route::Causal),
        ("Yedek anahtar nerede?", AnswerKind::Lookup, Route::Factual),
        ("Hangi veritabanını kullanıyoruz?", AnswerKind::Technical, Route::Factual),
        ("Hangi müziği seviyorum?", AnswerKind::Preference, Route::Preference),
        ("Kahveyi nasıl tercih ederim?", AnswerKind::Preference, Route::Preference),
        ("Ne zaman taşındık?", AnswerKind::General, Route::Temporal),
        ("Deniz kimdir?", AnswerKind::Definition, Route::EntityProfile),
        ("Marmaris hakkında ne biliyorsun?", AnswerKind::General, Route::EntityProfile),
        ("Kira sözleşmesi hangi yıl başladı?", AnswerKind::Lookup, Route::Temporal),
        ("", AnswerKind::General, Route::General),
    ] {
        let found = question_intent(question);
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
        ("When did I buy the bike?", AnswerShape::When),
        ("Do you remember when we met?", AnswerShape::When),
        ("What year was the roof mended?", AnswerShape::When),
        ("What did I drink when I was in Porto?", AnswerShape::Other),
        ("How long did the repair take?", AnswerShape::HowLong),
        ("How many weeks passed between the two visits?", AnswerShape::HowLong),
        ("How many plants do I own?", AnswerShape::HowMany),
        ("How often do I swim?", AnswerShape::HowMany),
        ("In what order did I read the three books?", AnswerShape::Order),
        ("Which trip happened first, Porto or Bergen?", AnswerShape::Order),
        ("Did I sell the piano?", AnswerShape::YesNo),
        ("Is the shop still open?", AnswerShape::Current),
        ("Do you know where the drill is?", AnswerShape::Other),
        ("Can you list my allergies?", AnswerShape::List),
        ("What are my plans?", AnswerShape::List),
        ("Which books have I read?", AnswerShape::List),
        ("What is my current address?", AnswerShape::Current),
        ("Where do I live now?", AnswerShape::Current),
        ("Where do I live?", AnswerShape::Other),
        ("I sold the piano in May. How many days ago was that?", AnswerShape::HowLong),
        ("Bisikleti ne zaman aldım?", AnswerShape::When),
        ("Hangi yıl evlendik?", AnswerShape::When),
        ("Onarım ne kadar sürdü?", AnswerShape::HowLong),
        ("Burada kaç yıldır oturuyorum?", AnswerShape::HowLong),
        ("Kaç bitkim var?", AnswerShape::HowMany),
        ("Kitapları hangi sırayla okudum?", AnswerShape::Order),
        ("Bergen'e mi Porto'ya mı önce gittik?", AnswerShape::Order),
        ("Piyanoyu sattım mı?", AnswerShape::YesNo),
        ("Alerjilerim neler?", AnswerShape::List),
        ("Şu an nerede oturuyorum?", AnswerShape::Current),
        ("Nerede oturuyorum?", AnswerShape::Other),
        ("Bana alerjilerimi söyler misin?", AnswerShape::Other),
    ] {
        let found = question_intent(question);
        if found.shape != shape {
            wrong.push(format!("{question}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_words_that_decided_are_told() {
    let found = question_intent("So, when did the lease begin?");
    let words: Vec<(&str, &str)> = found.because.iter().map(|it| (it.label, it.words.as_str())).collect();
    assert_eq!(words, [("lookup", "when"), ("temporal", "when did"), ("when", "when did")]);
    assert_eq!(question_intent("blue").because, []);
}

#[test]
fn hostile_questions_are_answered() {
    for piece in
        ["why ", "how many ", "?", "ne zaman ", "which x ", "mi ", "tell me about Ana ", "🙂", "what are "]
    {
        let _ = question_intent(&piece.repeat(100_000 / piece.len()));
    }
    assert_eq!(
        question_intent(&format!("{} When did it end?", "word ".repeat(3_000))).shape,
        AnswerShape::When
    );
}

proptest! {
    #[test]
    fn any_text_has_an_intent(text in "\\PC{0,200}") {
        let found = question_intent(&text);
        prop_assert!(found.because.len() <= 3);
    }
}
