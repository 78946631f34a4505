//! The page: sections with a table of contents, tables, figures, notes; all text escaped. It is one
//! file that asks for no other.

use super::plot::Plot;
use std::fmt::{self, Write as _};

const STYLE: &str = include_str!("style.css");

/// Text as HTML may hold it, in content or between quotes.
pub(super) struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}' => f.write_char('\u{fffd}')?,
                _ => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// A table: cells are text; those that begin like a number stand to the right.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new<const N: usize>(head: [&str; N]) -> Table {
        Table { head: head.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Whether all cells of a column are numbers or missing.
    fn is_number(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        let number = |cell: &String| {
            cell.starts_with(|letter: char| letter.is_ascii_digit() || "−–".contains(letter))
                || cell.is_empty()
        };
        cells.clone().any(|cell| !cell.is_empty()) && cells.all(number)
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let columns: Vec<bool> = (0..self.head.len()).map(|place| self.is_number(place)).collect();
        let class = |place: usize| match columns.get(place) {
            Some(true) => " class=\"n\"",
            _ => "",
        };
        out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
        for (place, name) in self.head.iter().enumerate() {
            write!(out, "<th{}>{}</th>", class(place), Escaped(name))?;
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (place, cell) in row.iter().enumerate() {
                write!(out, "<td{}>{}</td>", class(place), Escaped(cell))?;
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        Ok(())
    }
}

/// A section in the making.
#[derive(Clone, Debug)]
pub(super) struct Section {
    id: &'static str,
    title: String,
    body: String,
    plots: Vec<Plot>,
}

impl Section {
    /// An empty one.
    pub fn new(id: &'static str, title: &str) -> Section {
        Section { id, title: title.to_owned(), body: String::new(), plots: Vec::new() }
    }

    fn put(&mut self, text: fmt::Arguments<'_>) {
        self.body.write_fmt(text).expect("a String takes any text");
    }

    /// A paragraph.
    pub fn say(&mut self, words: &str) {
        self.put(format_args!("<p>{}</p>\n", Escaped(words)));
    }

    /// What the paper says about it.
    pub fn paper(&mut self, words: &str) {
        self.put(format_args!("<p class=\"paper\"><b>The paper</b> {}</p>\n", Escaped(words)));
    }

    /// Why something is not there.
    pub fn missing(&mut self, words: &str) {
        self.put(format_args!("<p class=\"missing\">Left out: {}</p>\n", Escaped(words)));
    }

    /// A heading below that of the section.
    pub fn heading(&mut self, words: &str) {
        self.put(format_args!("<h3>{}</h3>\n", Escaped(words)));
    }

    /// Sentences, one below the other.
    pub fn list(&mut self, sentences: impl IntoIterator<Item = String>) {
        self.body.push_str("<ul>\n");
        for sentence in sentences {
            self.put(format_args!("<li>{}</li>\n", Escaped(&sentence)));
        }
        self.body.push_str("</ul>\n");
    }

    /// A table.
    pub fn table(&mut self, table: &Table) {
        table.write(&mut self.body).expect("a String takes any text");
    }

    /// A table that opens when its name is clicked.
    pub fn folded(&mut self, name: &str, table: &Table) {
        self.put(format_args!("<details><summary>{}</summary>\n", Escaped(name)));
        self.table(table);
        self.body.push_str("</details>\n");
    }

    /// A figure, with links to its files.
    pub fn figure(&mut self, plot: Plot, caption: &str) {
        let (name, svg) = (plot.name(), plot.svg());
        let words = Escaped(caption);
        self.put(format_args!("<figure role=\"img\" aria-label=\"{words}\">\n{svg}"));
        self.put(format_args!("<figcaption>{words} <span class=\"files\">"));
        self.put(format_args!("<a href=\"plots/{name}.svg\">SVG</a>"));
        if plot.csv().is_some() {
            self.put(format_args!(" <a href=\"plots/{name}.csv\">CSV</a>"));
        }
        self.body.push_str("</span></figcaption>\n</figure>\n");
        self.plots.push(plot);
    }
}

/// The whole page, and the plots on it.
pub(super) fn page(title: &str, sections: Vec<Section>) -> (String, Vec<Plot>) {
    let mut out = String::new();
    write_page(&mut out, title, &sections).expect("a String takes any text");
    (out, sections.into_iter().flat_map(|section| section.plots).collect())
}

fn write_page(out: &mut String, title: &str, sections: &[Section]) -> fmt::Result {
    let title = Escaped(title);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    write!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n")?;
    write!(out, "<header><h1>{title}</h1></header>\n<nav><h2>Contents</h2>\n<ol>\n")?;
    for section in sections {
        writeln!(out, "<li><a href=\"#{}\">{}</a></li>", section.id, Escaped(&section.title))?;
    }
    out.push_str("</ol></nav>\n<main>\n");
    for section in sections {
        let (id, title) = (section.id, Escaped(&section.title));
        write!(out, "<section id=\"{id}\">\n<h2>{title}</h2>\n{}</section>\n", section.body)?;
    }
    out.push_str("</main>\n</body>\n</html>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_wherever_it_stands_and_numbers_stand_to_the_right() {
        let evil = "<script>\"'&\u{0}";
        let mut table = Table::new(["name", "value"]);
        table.row([evil, "1,000"]);
        table.row(["b", "–"]);
        let mut section = Section::new("s", evil);
        section.say(evil);
        section.list([evil.to_owned()]);
        section.table(&table);
        section.folded(evil, &table);
        let (html, plots) = page(evil, vec![section]);
        assert!(!html.contains("<script") && plots.is_empty());
        assert!(html.contains("&lt;script&gt;&quot;&#39;&amp;\u{fffd}"));
        assert!(html.contains("<td class=\"n\">1,000</td>") && html.contains("<td>b</td>"));
    }
}
