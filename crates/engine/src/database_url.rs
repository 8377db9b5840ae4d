//! The address of a database, as it may be shown.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An address that may hold a password, which is never shown.
#[derive(Clone, PartialEq, Eq, Default, Deserialize)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The address as it is, password and all.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for DatabaseUrl {
    fn from(url: String) -> Self {
        Self(url)
    }
}

/// Without its password, and without anything that could be one.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let shown = || {
            let (scheme, rest) = self.0.split_once("://")?;
            let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
            let (authority, database) = place.split_once('/').unwrap_or((place, ""));
            let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
            // An @ that is left over belongs to a password with signs that should have been encoded.
            let known = authority.contains('@') || !options.contains('@');
            let plain = known && !database.contains('@') && !host.contains('@');
            let user = user.split_once(':').map_or(user.to_owned(), |(user, _)| format!("{user}:***"));
            let at = if user.is_empty() { "" } else { "@" };
            let slash = if database.is_empty() { "" } else { "/" };
            let options: String =
                options.split('&').filter(|option| !option.is_empty()).map(shown_option).collect();
            plain.then(|| {
                format!("{scheme}://{user}{at}{host}{slash}{database}{}", options.replacen('&', "?", 1))
            })
        };
        f.write_str(shown().as_deref().unwrap_or("***"))
    }
}

/// An option of an address, if it is one that is known to hold no secret.
fn shown_option(option: &str) -> String {
    let open = ["sslmode", "application_name", "connect_timeout", "options", "target_session_attrs"];
    let name = option.split('=').next().unwrap_or_default();
    if open.contains(&name) && !option.contains('@') { format!("&{option}") } else { "&***".to_owned() }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    #[test]
    fn a_password_is_never_shown() {
        for (url, shown) in [
            (
                "postgres://ece:s3cret@db:5432/cairn?sslmode=require",
                "postgres://ece:***@db:5432/cairn?sslmode=require",
            ),
            ("postgres://ece:a@b@db/cairn", "postgres://ece:***@db/cairn"),
            ("postgres://ece@db/cairn", "postgres://ece@db/cairn"),
            ("postgres:///cairn?password=s3cret", "postgres:///cairn?***"),
            (
                "postgres://u:x@db/d?sslmode=require&passw%6Frd=s3cret",
                "postgres://u:***@db/d?sslmode=require&***",
            ),
            ("postgres://u:x@db/d?password=at@s3cret", "postgres://u:***@db/d?***"),
            ("postgres://u:s3/cret@db/d", "***"),
            ("postgres://u:s3cret?@db/d", "***"),
            ("host=db password=s3cret", "***"),
            ("", ""),
        ] {
            let config: Config = toml::from_str(&format!("[store]\nurl = {url:?}")).expect("read");
            assert_eq!((config.store.url.reveal(), config.store.url.to_string().as_str()), (url, shown));
            assert!(
                !config.to_toml().expect("written").contains("s3cret")
                    && !format!("{config:?}").contains("s3cret")
            );
        }
    }
}
