//! The fields of a TOML table, taken one by one; what nobody takes is an error. Every error names
//! line, field, value and what was expected.

use super::error::{ExperimentError, ExperimentProblem};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A file, for errors.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub file: &'a Path,
    pub text: &'a str,
}

type Checked<T> = Result<T, ExperimentError>;

impl Source<'_> {
    pub(super) fn error(&self, span: &Range<usize>, problem: ExperimentProblem) -> ExperimentError {
        let before = self.text.get(..span.start).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        ExperimentError { file: self.file.to_owned(), line, problem }
    }

    /// What stands there, in one line.
    fn written(&self, span: &Range<usize>) -> String {
        let text = self.text.get(span.clone()).unwrap_or("").trim();
        text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
    }
}

/// A value and the name of its field.
pub(super) struct Field<'a> {
    source: Source<'a>,
    name: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Field<'a> {
    /// The value is not what it should be.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> ExperimentError {
        let (field, span) = (self.name.clone(), self.value.span());
        let value = self.source.written(&span);
        let problem = ExperimentProblem::Value { field, value, expected: expected.into() };
        self.source.error(&span, problem)
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        self.value.as_ref().as_str()
    }

    pub(super) fn flag(&self) -> Option<bool> {
        self.value.as_ref().as_bool()
    }

    /// A whole number.
    pub(super) fn whole(&self) -> Option<u64> {
        let integer = self.value.as_ref().as_integer()?;
        u64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// A whole or a decimal number.
    pub(super) fn number(&self) -> Option<f64> {
        let decimal = self.value.as_ref().as_float().and_then(|float| float.as_str().parse().ok());
        decimal.or_else(|| self.whole().map(|whole| whole as f64))
    }

    pub(super) fn table(&self) -> Option<Fields<'a>> {
        let table = self.value.as_ref().as_table()?;
        Some(Fields { source: self.source, name: self.name.clone(), table, taken: Vec::new() })
    }

    /// Whether it is a list of nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.value.as_ref().as_array().is_some_and(|array| array.is_empty())
    }

    /// The values of a list, or a single value as a list of one; never none.
    pub(super) fn list<T>(
        &self,
        expected: &str,
        read: impl Fn(&Field<'a>) -> Option<T>,
    ) -> Checked<Vec<T>> {
        let Some(array) = self.value.as_ref().as_array() else {
            return read(self).map(|value| vec![value]).ok_or_else(|| self.wrong(expected));
        };
        let values = array.iter().map(|value| {
            let item = Field { source: self.source, name: self.name.clone(), value };
            read(&item).ok_or_else(|| item.wrong(expected))
        });
        let values: Vec<T> = values.collect::<Checked<_>>()?;
        if values.is_empty() {
            Err(self.wrong(format!("at least one: {expected}")))
        } else {
            Ok(values)
        }
    }
}

/// A table whose fields are being taken.
pub(super) struct Fields<'a> {
    source: Source<'a>,
    name: String,
    table: &'a DeTable<'a>,
    taken: Vec<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(source: Source<'a>, table: &'a DeTable<'a>) -> Fields<'a> {
        Fields { source, name: String::new(), table, taken: Vec::new() }
    }

    /// Takes a field, if it is there.
    pub(super) fn take(&mut self, name: &str) -> Option<Field<'a>> {
        self.taken.push(name.to_owned());
        let value = self.table.get(name)?;
        Some(Field { source: self.source, name: self.full_name(name), value })
    }

    /// All names and values, whatever they are.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'a str, Field<'a>)> {
        self.table.iter().map(|(key, value)| {
            let name: &str = key.as_ref();
            (name, Field { source: self.source, name: self.full_name(name), value })
        })
    }

    /// Nothing may be left.
    pub(super) fn finish(self) -> Checked<()> {
        for (key, value) in self.table {
            let name: &str = key.as_ref();
            if !self.taken.iter().any(|taken| taken == name) {
                let value = self.source.written(&value.span());
                let (field, expected) = (self.full_name(name), self.taken.join(", "));
                let problem = ExperimentProblem::Unknown { field, value, expected };
                return Err(self.source.error(&key.span(), problem));
            }
        }
        Ok(())
    }

    fn full_name(&self, name: &str) -> String {
        if self.name.is_empty() { name.to_owned() } else { format!("{}.{name}", self.name) }
    }
}
