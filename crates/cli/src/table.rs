//! Text tables: names aligned left, values aligned right.

use std::fmt::Write as _;

pub use picture::grouped;

/// Rows of a name and a value, under headings.
#[derive(Debug, Default)]
pub struct Table {
    /// Name and value of each row; a heading has no value.
    rows: Vec<(String, Option<String>)>,
}

impl Table {
    /// Begins a group of rows.
    pub fn heading(&mut self, heading: impl Into<String>) {
        self.rows.push((heading.into(), None));
    }

    /// Adds a row.
    pub fn row(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.rows.push((name.into(), Some(value.into())));
    }

    /// Formats the table; the columns of all groups have the same widths.
    pub fn render(&self) -> String {
        let named = self.rows.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let width = |texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let names = width(&mut named.clone().map(|row| row.0));
        let values = width(&mut named.clone().map(|row| row.1));
        let mut out = String::new();
        for (index, (name, value)) in self.rows.iter().enumerate() {
            let written = match value {
                Some(value) => writeln!(out, "  {name:names$}  {value:>values$}"),
                None if index == 0 => writeln!(out, "{name}"),
                None => writeln!(out, "\n{name}"),
            };
            written.expect("writing to a String does not fail");
        }
        out
    }
}

/// Formats a number with two decimals and thousands separators, as in 1,301.47.
pub fn decimal(number: f64) -> String {
    let hundredths = (number.abs() * 100.0).round() as u64;
    let sign = if number < 0.0 && hundredths > 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", grouped(hundredths / 100), hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_and_zero_has_no_sign() {
        assert_eq!(decimal(1301.468), "1,301.47");
        assert_eq!(decimal(-0.001), "0.00");
        assert_eq!(decimal(-12.5), "-12.50");
    }

    #[test]
    fn columns_align_across_groups() {
        let mut table = Table::default();
        table.heading("A");
        table.row("nodes", "6,105");
        table.heading("B");
        table.row("straße", "1");
        assert_eq!(table.render(), "A\n  nodes   6,105\n\nB\n  straße      1\n");
    }
}
