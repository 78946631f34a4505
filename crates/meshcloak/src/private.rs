//! A wrapper for values that must never be printed, logged or serialised: positions, users,
//! tickets, secrets.

use std::fmt;

/// A value that no formatter and no serialiser can reach.
///
/// `Debug` prints a placeholder, so that a struct that holds one can still derive `Debug`. There
/// is no `Display` and no `Serialize`; [`Private::expose`] is the only way to the value, and a
/// search for it lists every place that reads one.
///
/// ```
/// use meshcloak::private::Private;
///
/// let ticket = Private::new("q-4711");
/// assert_eq!(format!("{ticket:?}"), "Private(…)");
/// assert_eq!(ticket.expose(), &"q-4711");
/// ```
///
/// ```compile_fail,E0277
/// println!("{}", meshcloak::private::Private::new(7)); // no `Display`
/// ```
///
/// ```compile_fail,E0277
/// fn is_serialisable<T: serde::Serialize>() {}
/// is_serialisable::<meshcloak::private::Private<u8>>(); // no `Serialize`
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Private<T>(T);

impl<T> Private<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Private<T> {
        Private(value)
    }

    /// Returns the value. The caller answers for where it goes.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Returns the value mutably.
    pub const fn expose_mut(&mut self) -> &mut T {
        &mut self.0
    }

    /// Unwraps the value.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> From<T> for Private<T> {
    fn from(value: T) -> Private<T> {
        Private(value)
    }
}

impl<T> fmt::Debug for Private<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Private(…)")
    }
}
