use super::{
    rule::{InnocentRule as No, SecretRule as Yes},
    *,
};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use std::collections::HashSet;

fn masked(text: &str) -> String {
    mask(text).text.into_owned()
}

/// covers: X-P9
#[test]
fn only_the_secret_is_masked() {
    let token = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let key = ["AK", "IA", "Q3EGRTUV5WXY2ZAB"].concat();
    for (text, expected) in [
        (format!("use {token}."), "use [secret: github token].".to_owned()),
        (format!("id={key}\n"), "id=[secret: aws access key]\n".to_owned()),
        ("postgres://ana:pw@host/db".into(), "postgres://ana:[secret: password]@host/db".into()),
        ("my password is hunter2, ok?".into(), "my password is [secret: password], ok?".into()),
        ("şifrem: kedi123".into(), "şifrem: [secret: password]".into()),
        ("card 4111 1111 1111 1111!".into(), "card [secret: card number]!".into()),
    ] {
        assert_eq!(masked(&text), expected, "{text}");
        assert_eq!(masked(&expected), expected, "{text}");
    }
    assert_eq!(mask(&format!("{token} {key}")).found, ["github token", "aws access key"]);
    assert!(matches!(mask("the password is required").text, Cow::Borrowed(_)));
}

#[test]
fn whatever_is_a_secret_holds_the_sign_of_its_form() {
    let mut runner = TestRunner::deterministic();
    for form in &FORMS.each {
        // A word boundary has no text of its own.
        let source = form.regex.as_str().replace("(?-u:\\b)", "").replace("\\b", "");
        let texts = proptest::string::bytes_regex(&source).expect("a form that texts can be made of");
        let mut secrets = 0;
        for _ in 0..64 {
            let text = texts.new_tree(&mut runner).expect("a text").current();
            let Ok(text) = String::from_utf8(text) else { continue };
            let Some(found) = form.regex.get().captures(&text) else { continue };
            let holds = match form.sign {
                // What follows a name decides whether it is a secret.
                FormSign::Name => Some(!FORMS.names.owners_in(&text).is_empty()),
                FormSign::Run => (form.judge)(&text, &found, form.kind).ok().map(|_| may_hold_token(&text)),
                FormSign::Digits => Some(may_hold_card(&text)),
                FormSign::Option => Some(command::may_hold_option(&text)),
            };
            assert_ne!(holds, Some(false), "{}: {text}", form.kind);
            secrets += usize::from(holds.is_some());
        }
        assert!(secrets > 0, "{}: {source}", form.kind);
    }
    for talk in ["Good evening, see you at 10:30!", "The recommendation was fine.", ""] {
        assert!(
            !may_hold_token(talk) && !may_hold_card(talk) && FORMS.names.owners_in(talk).is_empty(),
            "{talk}"
        );
    }
}

/// covers: X-P9
#[test]
fn large_and_odd_texts_are_read_in_time() {
    let texts = [
        "[".repeat(1 << 20),
        "password=".repeat(1 << 14),
        "password is ".repeat(1 << 14),
        "-----BEGIN RSA PRIVATE KEY-----\n".repeat(1 << 14),
        "1234 ".repeat(1 << 18),
        "a://b:".repeat(1 << 17),
        "eyJaaaaaaaaaaaaa.".repeat(1 << 15),
        "seed phrase: ab ".repeat(1 << 15),
        "ş".repeat(1 << 20),
        "x".repeat(16 << 20),
    ];
    for text in texts {
        assert!(matches!(mask(&text).text, Cow::Borrowed(_)), "{}", &text[..16]);
    }
}

/// The verdicts about every match in a text.
fn verdicts(text: &str) -> Vec<Result<Yes, No>> {
    let mut verdicts = Vec::new();
    judge_matches(text, |_, verdict| verdicts.push(verdict.map(|secret| secret.rule)));
    verdicts
}

/// Letters and digits that no maker ever gave out.
const RANDOM: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

/// Texts with the rule that decides about their first match. `{r}` is [`RANDOM`], `{g}` the prefix of a maker.
const DECIDED: [(Result<Yes, No>, &str); 61] = [
    (Ok(Yes::MakerToken), "use {g}{r}."),
    (Ok(Yes::MakerToken), "https://discord.com/api/webhooks/12345678901234567/{r}{r}"),
    (Ok(Yes::KeyBlock), "-----BEGIN PRIVATE KEY-----\n{r}{r}\n-----END PRIVATE KEY-----"),
    (Ok(Yes::HeaderToken), "Authorization: Bearer {r}"),
    (Ok(Yes::BasicCredentials), "Authorization: Basic YW5hOmh1bnRlcjI="),
    (Ok(Yes::AddressPassword), "postgres://ana:pw@host/db"),
    (Ok(Yes::AddressPassword), "curl -u ana:hunter2 x"),
    (Ok(Yes::MixedPassword), "my password is hunter2, ok?"),
    (Ok(Yes::MixedPassword), "şifrem: kedi123"),
    (Ok(Yes::DigitPassword), "password: 482913"),
    (Ok(Yes::SignPassword), "password: open$sesame"),
    (Ok(Yes::WordPassword), "password = \"sesame\""),
    (Ok(Yes::WordPassword), "DB_PASSWORD=sesame"),
    (Ok(Yes::Pin), "my card pin is 4821"),
    (Ok(Yes::AwsSecretKey), "secret_access_key = {r}AbCd"),
    (Ok(Yes::RandomValue), "api_key = {r}"),
    (
        Ok(Yes::SeedPhrase),
        "seed phrase: river stone maple ocean tiger cloud ember frost grape honey lemon mango",
    ),
    (Ok(Yes::CardNumber), "card 4111 1111 1111 1111!"),
    (Ok(Yes::CardDetail), "[secret: card number] exp 04/28"),
    (Ok(Yes::StrongPassword), "log in with Tide!Table3 as the password"),
    (Ok(Yes::Passphrase), "my passphrase is copper violin under seven lakes"),
    (Ok(Yes::CommandPassword), "mysql -u shop -pHarrier204 shop"),
    (Ok(Yes::NetworkPassword), "WIFI:T:WPA;S:Studio;P:flint_and_oak;;"),
    (Ok(Yes::OneTimeKey), "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ"),
    (Ok(Yes::Code), "the gate code is 8830"),
    (Ok(Yes::CodeList), "backup codes: 7f3a1-b20c9 19ee2-77d0a"),
    (Ok(Yes::WrappedToken), "{g}a1B2c3D4e5F6g7\nH8i9J0k1L2m3N4"),
    (Err(No::WeakPassword), "password rotation is due"),
    (Err(No::NoCode), "the gate code is new"),
    (Err(No::NoOneTimeKey), "the totp key is lost"),
    (Err(No::TokenGoesOn), "use {g}{r}_"),
    (Err(No::FewCharacters), "use {g}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    (Err(No::Example), "AKIAIOSFODNN7EXAMPLE"),
    (Err(No::Slug), "glpat-this-is-the-name-of-a-runner"),
    (
        Err(No::KeyWithoutBody),
        "-----BEGIN PRIVATE KEY-----\naaaaaaaaaaaaaaaaaaaaaaaaaaa\n-----END PRIVATE KEY-----",
    ),
    (Err(No::NotRandom), "Authorization: Bearer your-token-goes-here"),
    (Err(No::NotRandom), "api_key = your-api-key-here"),
    (Err(No::NoCredentials), "Authorization: Basic abcdefgh"),
    (Err(No::Reference), "postgres://ana:${PASSWORD}@host/db"),
    (Err(No::Reference), "password: ${PASSWORD}"),
    (Err(No::Blank), "postgres://ana:****@host/db"),
    (Err(No::Blank), "password: xxxxxxxx"),
    (Err(No::OnlyDigits), "http://localhost:8080@host"),
    (Err(No::InsideWord), "repwd = hunter2"),
    (Err(No::InnocentName), "forgot_password = hunter22"),
    (Err(No::NoSign), "the password reset"),
    (Err(No::NoValue), "password: \"unclosed"),
    (Err(No::InflectedNumber), "şifrem 1234'tü"),
    (Err(No::Impossible), "password: abc"),
    (Err(No::Impossible), "password: [hidden]"),
    (Err(No::InnocentWord), "password: string"),
    (Err(No::Code), "password: getPassword(user)"),
    (Err(No::Measure), "password: /etc/shadow"),
    (Err(No::NoDigitPassword), "password: 12-34-"),
    (Err(No::NoSignPassword), "password: a$b$c"),
    (Err(No::PlainWord), "password: sesame"),
    (Err(No::NoPin), "my card pin is lost"),
    (Err(No::NoAwsSecretKey), "secret_access_key = short"),
    (Err(No::NoSeedPhrase), "seed phrase: river stone"),
    (Err(No::NumberGoesOn), "0.4111111111111111"),
    (Err(No::NotIssued), "1111 1111 1111 1111"),
];

/// covers: X-P9
#[test]
fn every_verdict_names_the_rule_that_decided() {
    let told = [
        (Err(No::WrongCheckDigit), "card 4111 1111 1111 1112".to_owned()),
        (Err(No::BesideMask), format!("[secret: token]{}{RANDOM}", ["gh", "p_"].concat())),
    ];
    let decided = DECIDED
        .iter()
        .map(|(rule, text)| (*rule, text.replace("{r}", RANDOM).replace("{g}", &["gh", "p_"].concat())));
    let wrong: Vec<String> = decided
        .chain(told)
        .filter(|(rule, text)| {
            let found = verdicts(text);
            !found.contains(rule) || rule.is_ok() != matches!(mask(text).text, Cow::Owned(_))
        })
        .map(|(rule, text)| format!("{text}: {:?}, not {rule:?}", verdicts(&text)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let rules: HashSet<_> = DECIDED.iter().map(|(rule, _)| *rule).collect();
    let (secrets, innocent) = (Yes::CardNumber as usize + 1, No::BesideMask as usize + 1);
    assert_eq!(rules.len() + 2, secrets + innocent, "every rule has a text");
}
