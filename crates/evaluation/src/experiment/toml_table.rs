//! TOML tables whose fields are consumed by name; an unconsumed field is an error. Every error names
//! line, field, value and what was expected.

use super::error::ExperimentError;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// An experiment file, for error positions.
#[derive(Clone, Copy)]
pub(super) struct TomlSource<'a> {
    pub file: &'a Path,
    pub text: &'a str,
}

type Checked<T> = Result<T, ExperimentError>;

impl TomlSource<'_> {
    pub(super) fn error(&self, span: &Range<usize>, problem: String) -> ExperimentError {
        let before = self.text.get(..span.start).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        ExperimentError { file: self.file.to_owned(), line, problem }
    }

    /// Returns the source text of a span as one line.
    fn excerpt(&self, span: &Range<usize>) -> String {
        let text = self.text.get(span.clone()).unwrap_or("").trim();
        text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
    }
}

/// Value of a field with the field's full name.
pub(super) struct TomlField<'a> {
    source: TomlSource<'a>,
    name: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> TomlField<'a> {
    /// Builds the error for an invalid value.
    pub(super) fn error(&self, expected: impl Display) -> ExperimentError {
        let span = self.value.span();
        let (field, value) = (&self.name, self.source.excerpt(&span));
        self.source.error(&span, format!("`{field}` is {value}; expected {expected}"))
    }

    /// Builds the error for a value with a problem of its own.
    pub(super) fn problem(&self, problem: impl Display) -> ExperimentError {
        let span = self.value.span();
        let (field, value) = (&self.name, self.source.excerpt(&span));
        self.source.error(&span, format!("`{field}` is {value}: {problem}"))
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        self.value.as_ref().as_str()
    }

    pub(super) fn flag(&self) -> Option<bool> {
        self.value.as_ref().as_bool()
    }

    /// Returns a non-negative integer.
    pub(super) fn whole(&self) -> Option<u64> {
        let integer = self.value.as_ref().as_integer()?;
        u64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// Returns an integer or a decimal number.
    pub(super) fn number(&self) -> Option<f64> {
        let decimal = self.value.as_ref().as_float().and_then(|float| float.as_str().parse().ok());
        decimal.or_else(|| self.whole().map(|whole| whole as f64))
    }

    pub(super) fn table(&self) -> Option<TomlTable<'a>> {
        let table = self.value.as_ref().as_table()?;
        Some(TomlTable {
            source: self.source,
            name: self.name.clone(),
            table,
            consumed: Vec::new(),
        })
    }

    /// Returns whether the value is an empty list.
    pub(super) fn is_empty(&self) -> bool {
        self.value.as_ref().as_array().is_some_and(|array| array.is_empty())
    }

    /// Returns the values of a list, or a single value as a list of one. An empty list is an error.
    pub(super) fn list<T>(
        &self,
        expected: &str,
        read: impl Fn(&TomlField<'a>) -> Option<T>,
    ) -> Checked<Vec<T>> {
        self.list_of(expected, |field| read(field).ok_or_else(|| field.error(expected)))
    }

    /// As [`TomlField::list`], with errors of their own for the values.
    pub(super) fn list_of<T>(
        &self,
        expected: &str,
        read: impl Fn(&TomlField<'a>) -> Checked<T>,
    ) -> Checked<Vec<T>> {
        let Some(array) = self.value.as_ref().as_array() else {
            return read(self).map(|value| vec![value]);
        };
        let values = array.iter().map(|value| {
            let item = TomlField { source: self.source, name: self.name.clone(), value };
            read(&item)
        });
        let values: Vec<T> = values.collect::<Checked<_>>()?;
        if values.is_empty() {
            Err(self.error(format!("at least one: {expected}")))
        } else {
            Ok(values)
        }
    }
}

/// A table and the names of its consumed fields.
pub(super) struct TomlTable<'a> {
    source: TomlSource<'a>,
    name: String,
    table: &'a DeTable<'a>,
    consumed: Vec<String>,
}

impl<'a> TomlTable<'a> {
    pub(super) fn new(source: TomlSource<'a>, table: &'a DeTable<'a>) -> TomlTable<'a> {
        TomlTable { source, name: String::new(), table, consumed: Vec::new() }
    }

    /// Consumes a field; `None` if it is absent.
    pub(super) fn take(&mut self, name: &str) -> Option<TomlField<'a>> {
        self.consumed.push(name.to_owned());
        let value = self.table.get(name)?;
        Some(TomlField { source: self.source, name: self.full_name(name), value })
    }

    /// Iterates over all names and fields without consuming them.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'a str, TomlField<'a>)> {
        self.table.iter().map(|(key, value)| {
            let name: &str = key.as_ref();
            (name, TomlField { source: self.source, name: self.full_name(name), value })
        })
    }

    /// Fails if a field was not consumed.
    pub(super) fn finish(self) -> Checked<()> {
        for (key, value) in self.table {
            let name: &str = key.as_ref();
            if !self.consumed.iter().any(|consumed| consumed == name) {
                let value = self.source.excerpt(&value.span());
                let (field, expected) = (self.full_name(name), self.consumed.join(", "));
                let problem = format!("unknown field `{field}` = {value}; expected {expected}");
                return Err(self.source.error(&key.span(), problem));
            }
        }
        Ok(())
    }

    fn full_name(&self, name: &str) -> String {
        if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) }
    }
}
