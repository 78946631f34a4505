//! A strict parser of the part of Overpass QL that the connector uses, written from the documented
//! grammar: settings, one union of statements by tag and distance, one `out`. All else is an error.

/// A parsed query.
#[derive(Debug, PartialEq)]
pub struct Query {
    pub timeout: u32,
    pub maxsize: u64,
    pub statements: Vec<Statement>,
    pub out: Vec<String>,
}

/// `nwr` with filters.
#[derive(Debug, Default, PartialEq)]
pub struct Statement {
    /// Key and value, or alternatives of keys.
    pub tags: Vec<Tag>,
    pub around: Option<Around>,
}

#[derive(Debug, PartialEq)]
pub enum Tag {
    Is(String, String),
    /// `[~"^(a|b)$"~"."]`
    AnyOf(Vec<String>),
}

#[derive(Debug, PartialEq)]
pub struct Around {
    pub metres: f64,
    /// Latitude, longitude.
    pub points: Vec<(f64, f64)>,
}

type Parsed<T> = Result<T, String>;

/// Parser over the remaining text.
struct QlParser<'a>(&'a str);

pub fn parse(text: &str) -> Parsed<Query> {
    let mut parser = QlParser(text);
    let (timeout, maxsize) = parser.settings()?;
    parser.expect("(")?;
    let mut statements = Vec::new();
    while !parser.found(")") {
        statements.push(parser.statement()?);
    }
    parser.expect(";")?;
    let out = parser.out()?;
    if statements.is_empty() || !parser.0.is_empty() {
        return Err(format!("an empty union, or trailing text: {:?}", parser.0));
    }
    Ok(Query { timeout, maxsize, statements, out })
}

impl QlParser<'_> {
    fn found(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(token) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        let start: String = self.0.chars().take(30).collect();
        self.found(token).then_some(()).ok_or(format!("expected `{token}` before {start:?}"))
    }

    /// Reads up to one of the characters.
    fn until(&mut self, ends: &[char]) -> Parsed<String> {
        let end = self.0.find(ends).ok_or_else(|| format!("no end {ends:?}"))?;
        let (token, rest) = self.0.split_at(end);
        self.0 = rest;
        Ok(token.to_owned())
    }

    fn quoted(&mut self) -> Parsed<String> {
        self.expect("\"")?;
        let text = self.until(&['"'])?;
        if text.contains('\\') || text.is_empty() {
            return Err(format!("an escape, or an empty text: {text:?}"));
        }
        self.expect("\"")?;
        Ok(text)
    }

    fn settings(&mut self) -> Parsed<(u32, u64)> {
        let (mut json, mut timeout, mut maxsize) = (false, None, None);
        while self.found("[") {
            let name = self.until(&[':', ']'])?;
            self.expect(":")?;
            let value = self.until(&[']'])?;
            self.expect("]")?;
            let again = match name.as_str() {
                "out" if value == "json" => std::mem::replace(&mut json, true),
                "timeout" => timeout.replace(number(&value)?).is_some(),
                "maxsize" => maxsize.replace(number(&value)?).is_some(),
                _ => return Err(format!("setting {name}:{value}")),
            };
            if again {
                return Err(format!("{name} twice"));
            }
        }
        self.expect(";")?;
        match (json, timeout, maxsize) {
            (true, Some(timeout), Some(maxsize)) => Ok((timeout, maxsize)),
            _ => Err("a setting is missing".into()),
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.expect("nwr")?;
        let mut statement = Statement::default();
        while !self.found(";") {
            if self.found("[~") {
                let keys = self.quoted()?;
                self.expect("~")?;
                let values = self.quoted()?;
                self.expect("]")?;
                let inner = keys.strip_prefix("^(").and_then(|rest| rest.strip_suffix(")$"));
                match inner.filter(|_| values == ".") {
                    Some(inner) => {
                        let keys = inner.split('|').map(str::to_owned).collect();
                        statement.tags.push(Tag::AnyOf(keys));
                    }
                    None => return Err(format!("expressions {keys} {values}")),
                }
            } else if self.found("[") {
                let key = self.quoted()?;
                self.expect("=")?;
                let value = self.quoted()?;
                self.expect("]")?;
                statement.tags.push(Tag::Is(key, value));
            } else {
                self.expect("(around:")?;
                let around = self.around()?;
                if statement.around.replace(around).is_some() {
                    return Err("around twice".into());
                }
            }
        }
        Ok(statement)
    }

    fn around(&mut self) -> Parsed<Around> {
        let text = self.until(&[')'])?;
        self.expect(")")?;
        let numbers: Vec<f64> = text.split(',').map(number).collect::<Parsed<_>>()?;
        let (metres, places) = numbers.split_first().ok_or("no radius")?;
        if places.is_empty() || places.len() % 2 == 1 || *metres < 0.0 {
            return Err(format!("around {} numbers", numbers.len()));
        }
        let points: Vec<(f64, f64)> = places.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let on_earth = |&(lat, lon): &(f64, f64)| lat.abs() <= 90.0 && lon.abs() <= 180.0;
        if !points.iter().all(on_earth) {
            return Err("a coordinate out of range".into());
        }
        Ok(Around { metres: *metres, points })
    }

    /// Reads `out` with at most one word of each group.
    fn out(&mut self) -> Parsed<Vec<String>> {
        self.expect("out")?;
        let words: Vec<String> =
            self.until(&[';'])?.split_whitespace().map(str::to_owned).collect();
        self.expect(";")?;
        let groups: [&[&str]; 3] =
            [&["ids", "skel", "body", "tags", "meta"], &["geom", "bb", "center"], &["asc", "qt"]];
        for group in groups {
            if words.iter().filter(|word| group.contains(&word.as_str())).count() > 1 {
                return Err(format!("out {words:?}"));
            }
        }
        let known = |word: &String| groups.iter().any(|group| group.contains(&word.as_str()));
        if words.iter().all(known) { Ok(words) } else { Err(format!("out {words:?}")) }
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Parsed<T> {
    let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || ".-".contains(c));
    let number = text.parse().ok().filter(|_| plain);
    number.ok_or_else(|| format!("{text:?} is not a number"))
}

#[test]
fn the_parser_is_strict() {
    let good =
        "[out:json][timeout:5][maxsize:9];(nwr[\"a\"=\"b\"](around:1.5,2,-3.5););out body geom qt;";
    let query = parse(good).unwrap();
    assert_eq!(query.statements[0].around.as_ref().unwrap().points, [(2.0, -3.5)]);
    for (from, to) in [
        ("json", "xml"),
        ("[timeout:5]", ""),
        ("[timeout:5]", "[timeout:5][timeout:5]"),
        ("nwr", "node"),
        ("=", "~"),
        (",-3.5", ""),
        ("2,", "91,"),
        ("1.5", "1e5"),
        (";);", ");"),
        ("geom", "center geom"),
        ("qt;", "qt"),
        ("qt;", "qt;out;"),
        ("\"b\"", "\"b\\\""),
        ("\"b\"", "b"),
    ] {
        assert!(parse(&good.replacen(from, to, 1)).is_err(), "{from} -> {to}");
    }
}
