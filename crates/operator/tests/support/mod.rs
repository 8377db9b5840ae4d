//! Shared by the tests with random lives.

use cairn_operator::{Grant, OperatorKey, sign_in};
use cairn_testkit::{SimulatedClock, home, run};
use std::sync::LazyLock;

/// When every life begins.
pub(crate) const START: &str = "2026-01-01T10:00:00Z";

/// A grant, made once: finding it out takes as long as guessing a passphrase should.
pub(crate) static GRANT: LazyLock<Grant> = LazyLock::new(|| {
    let (_folder, home) = home(SimulatedClock::at(START));
    let grant = async {
        OperatorKey::create(&home, "a quiet harbour").await.expect("a key");
        sign_in(&home, "a quiet harbour").await.expect("let in")
    };
    // Whoever needs it first may be in the middle of something else.
    std::thread::scope(|scope| scope.spawn(|| run(grant)).join().expect("a grant"))
});

/// A name that stands in no other text, and whose beginning no other has.
pub(crate) fn rare_name(number: usize) -> String {
    let letters = b"bdfgklmnprstvz";
    let letter = |at: usize| char::from(letters[at % letters.len()]);
    format!("Zoq{}a{}iwen", letter(number), letter(number / letters.len()))
}
