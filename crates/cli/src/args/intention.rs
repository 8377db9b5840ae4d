//! Arguments of `cairn intentions` and `cairn intend`.

use super::limit::LimitArgs;
use clap::{Args, Subcommand};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct IntentionsArgs {
    #[command(subcommand)]
    pub(crate) what: Option<IntentionsCommand>,
    #[command(flatten)]
    pub(crate) filter: IntentionsFilter,
}

#[derive(Subcommand)]
pub(crate) enum IntentionsCommand {
    /// List intentions: what is due first, then what waits
    #[command(
        after_help = "Examples:\n  cairn intentions list --due\n  cairn intentions list --calendar > intentions.ics"
    )]
    List(IntentionsFilter),
    /// Put an intention off until a day
    #[command(after_help = "Examples:\n  cairn intentions snooze msg_0123456789 --until \"next Friday\"")]
    Snooze {
        /// Its ref
        #[arg(value_name = "REF")]
        reference: String,
        /// The day, as 2026-11-20 or in words
        #[arg(long, value_name = "DAY", default_value = "tomorrow")]
        until: String,
    },
    /// Say that an intention is done
    #[command(after_help = "Examples:\n  cairn intentions done msg_0123456789")]
    Done {
        /// Its ref
        #[arg(value_name = "REF")]
        reference: String,
    },
    /// Drop an intention: it will not be done
    #[command(after_help = "Examples:\n  cairn intentions drop msg_0123456789")]
    Drop {
        /// Its ref
        #[arg(value_name = "REF")]
        reference: String,
    },
}

#[derive(Args)]
pub(crate) struct IntentionsFilter {
    /// Only what is due
    #[arg(long, conflicts_with = "all")]
    pub(crate) due: bool,
    /// Also what is done, dropped or expired
    #[arg(long)]
    pub(crate) all: bool,
    /// Print those with a date as an iCalendar file (.ics)
    #[arg(long)]
    pub(crate) calendar: bool,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

#[derive(Args)]
pub(crate) struct IntendArgs {
    /// The thing to do
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// The day, as 2026-11-20 or in words such as "next Friday"
    #[arg(long, value_name = "DAY", group = "trigger")]
    pub(crate) on: Option<String>,
    /// The time of that day, as 09:30 or 7pm
    #[arg(long, value_name = "TIME", requires = "on", value_parser = minute_of_day)]
    pub(crate) at: Option<u32>,
    /// Remind when this person comes up
    #[arg(long, value_name = "NAME", group = "trigger")]
    pub(crate) person: Option<String>,
    /// Remind when this file is worked on
    #[arg(long, value_name = "PATH", group = "trigger")]
    pub(crate) file: Option<String>,
    /// Remind when this topic comes up
    #[arg(long, value_name = "WORDS", group = "trigger")]
    pub(crate) topic: Option<String>,
    /// The session it belongs to
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The thread it belongs to
    #[arg(long)]
    pub(crate) thread: Option<String>,
}

fn minute_of_day(text: &str) -> Result<u32, String> {
    let text = text.trim().to_lowercase();
    let (clock, half_day) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(clock), _) => (clock.trim(), Some(0)),
        (_, Some(clock)) => (clock.trim(), Some(12)),
        (None, None) => (text.as_str(), None),
    };
    let parts = match (clock.split_once(':'), half_day) {
        (Some((hour, minute)), _) => hour.parse().ok().zip(minute.parse().ok()),
        (None, Some(_)) => clock.parse().ok().map(|hour| (hour, 0)),
        (None, None) => None,
    };
    let hour_of = |hour: u32| match half_day {
        Some(later) => (1..=12).contains(&hour).then_some(hour % 12 + later),
        None => (hour < 24).then_some(hour),
    };
    let minute = parts
        .filter(|(_, minute)| *minute < 60)
        .and_then(|(hour, minute)| Some(hour_of(hour)? * 60 + minute));
    minute.ok_or_else(|| "write it as 09:30 or 7pm".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-261
    #[test]
    fn a_time_of_day_is_read_by_either_clock() {
        for (text, minute) in [
            ("09:30", Some(570)),
            ("7pm", Some(1140)),
            ("7:15 PM", Some(1155)),
            ("12am", Some(0)),
            ("12pm", Some(720)),
            ("0:05", Some(5)),
            ("24:00", None),
            ("13pm", None),
            ("7", None),
            ("7:60", None),
        ] {
            assert_eq!(minute_of_day(text).ok(), minute, "{text}");
        }
    }
}
