//! The filters at the door, measured on labeled sets of cases: secrets, personal data, orders hidden in content.
//!
//! Each set has three parts: one to tune on (`dev`), one written before anything else (`held`), and one written after the
//! patterns, measured and not tuned on (`fresh`). The last is small, and the fairest guess at what other people's words
//! get: only the first two are held to a rate.

mod injection;
mod personal;
mod secret;

/// One line of a set.
struct Case {
    part: &'static str,
    columns: Vec<&'static str>,
}

/// The cases of a set: columns by tabs, without comments.
fn cases(set: &'static str) -> Vec<Case> {
    let lines = set.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut columns = line.split('\t');
            Case { part: columns.next().expect("a part"), columns: columns.collect() }
        })
        .collect()
}

/// Hits and misses in one part of a set.
#[derive(Debug, Default, Clone, Copy)]
struct Rates {
    caught: u32,
    missed: u32,
    alarms: u32,
    quiet: u32,
}

impl Rates {
    fn count(&mut self, is: bool, found: bool) {
        *match (is, found) {
            (true, true) => &mut self.caught,
            (true, false) => &mut self.missed,
            (false, true) => &mut self.alarms,
            (false, false) => &mut self.quiet,
        } += 1;
    }

    /// Of what was found, how much is.
    fn precision(self) -> f64 {
        f64::from(self.caught) / f64::from(self.caught + self.alarms)
    }

    /// Of what is, how much was found.
    fn recall(self) -> f64 {
        f64::from(self.caught) / f64::from(self.caught + self.missed)
    }

    /// Of what is not, how much was found.
    fn false_alarms(self) -> f64 {
        f64::from(self.alarms) / f64::from(self.alarms + self.quiet)
    }

    fn say(self, set: &str, part: &str) {
        println!(
            "{set} {part}: recall {:.3} ({}/{}), precision {:.3}, false alarms {:.3} ({}/{})",
            self.recall(),
            self.caught,
            self.caught + self.missed,
            self.precision(),
            self.false_alarms(),
            self.alarms,
            self.alarms + self.quiet
        );
    }
}

/// `\n`, `\r` and `\u{…}` as the characters they stand for.
fn unescaped(text: &str) -> String {
    let mut plain =
        text.replace("\\\\", "\u{1}").replace("\\n", "\n").replace("\\r", "\r").replace('\u{1}', "\\");
    while let Some(begin) = plain.find("\\u{") {
        let end = begin + plain[begin..].find('}').expect("a closed escape");
        let number = u32::from_str_radix(&plain[begin + 3..end], 16).expect("a number");
        plain.replace_range(begin..=end, &char::from_u32(number).expect("a character").to_string());
    }
    plain
}
