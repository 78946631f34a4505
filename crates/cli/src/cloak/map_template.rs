//! Maps of partitions: `{KEY}` in the name of a map stands for the value of the partition.

use super::partitions::Partition;
use anyhow::{Result, bail};
use import::MapSource;

/// Returns the map of a partition; `None` is the built-in city.
pub fn fill(map: Option<&MapSource>, partition: &Partition) -> Result<Option<MapSource>> {
    let Some(template) = map.map(ToString::to_string) else { return Ok(None) };
    let mut text = String::new();
    let mut rest = template.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        let Some((key, after)) = after.split_once('}') else { break };
        let Some((_, value)) = partition.keys.iter().find(|(known, _)| known == key) else {
            let known: Vec<&str> = partition.keys.iter().map(|(key, _)| key.as_str()).collect();
            let known = known.join(", ");
            bail!("{template}: the partition has no key `{key}`; it has: {known}");
        };
        if value == ".." || value.contains(['/', '\\']) {
            bail!("{template}: the value `{value}` of `{key}` is not a file name");
        }
        text.push_str(before);
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    Ok(Some(text.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(map: &str) -> String {
        let keys = [("city", "porto"), ("date", "2026-05-01"), ("up", "..")];
        let keys = keys.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let map: MapSource = map.parse().unwrap();
        match fill(Some(&map), &Partition { keys, files: Vec::new() }) {
            Ok(map) => map.unwrap().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn keys_are_replaced_by_values() {
        assert_eq!(filled("maps/{city}.meshmap"), "maps/porto.meshmap");
        assert_eq!(filled("{city}/{date}.osm"), "porto/2026-05-01.osm");
        assert_eq!(filled("plain.osm"), "plain.osm");
        assert_eq!(filled("half{open.osm"), "half{open.osm");
        let unknown = filled("{town}.osm");
        assert_eq!(unknown, "{town}.osm: the partition has no key `town`; it has: city, date, up");
        assert!(filled("{up}.osm").contains("not a file name"));
    }
}
