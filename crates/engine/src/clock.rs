//! Time is an argument.

use cairn_domain::Time;

/// Tells the present. The command line has the machine's clock and `CAIRN_NOW`; tests have their own.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Time;
}
