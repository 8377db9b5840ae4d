//! Closed sets of words: how an enum of the glossary prints, is stored and is read back.

/// An enum whose values are words: `ALL`, `as_str`, `Display`, `FromStr` with a hint that lists them, and serde.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$word_doc:meta])* $value:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[derive(schemars::JsonSchema)]
        pub enum $name {
            $($(#[$word_doc])* #[serde(rename = $word)] $value,)+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::Invalid;

            fn from_str(text: &str) -> Result<Self, $crate::Invalid> {
                $crate::word::find(&Self::ALL, Self::as_str, text, $what)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use words;

/// The value whose word is `text`.
pub(crate) fn find<T: Copy>(
    all: &[T],
    word: fn(T) -> &'static str,
    text: &str,
    what: &str,
) -> Result<T, crate::Invalid> {
    all.iter().copied().find(|value| word(*value) == text).ok_or_else(|| {
        let words: Vec<&str> = all.iter().map(|value| word(*value)).collect();
        crate::Invalid::new(
            format!("`{}` is not {what}", text.chars().take(60).collect::<String>().escape_debug()),
            format!("use one of {}", words.join(", ")),
        )
    })
}
