//! Disclosures as NDJSON (docs/SPEC.md §9): time and region of each published set. No id, user, k or
//! size is written, and the order depends on the regions alone.

use crate::error::Result;
use crate::text::{Labels, put_region, put_thousandths};
use import::AtomicFile;
use meshcloak::scheme::Published;
use meshcloak::units::Time;
use std::path::Path;

/// File of disclosures, visible when it is complete.
#[derive(Debug)]
pub struct DisclosureFile {
    file: AtomicFile,
    line: Vec<u8>,
    sets: Vec<u32>,
}

impl DisclosureFile {
    /// Creates the file.
    pub fn create(path: &Path) -> Result<DisclosureFile> {
        let file = AtomicFile::create(path)?;
        Ok(DisclosureFile { file, line: Vec::new(), sets: Vec::new() })
    }

    /// Writes one disclosure per set of a batch, even if a scheme lists a set once per member: the
    /// number of repetitions would reveal the size of the set.
    pub fn write(&mut self, labels: &Labels, published: &Published, at: Time) -> Result<()> {
        let order = |a: &u32, b: &u32| {
            let (a, b) = (published.set(*a), published.set(*b));
            a.region.total_cmp(&b.region).then_with(|| a.members.cmp(b.members))
        };
        self.sets.clear();
        self.sets.extend(0..published.set_count() as u32);
        self.sets.sort_unstable_by(order);
        self.sets.dedup_by(|a, b| published.set(*a) == published.set(*b));
        for &set in &self.sets {
            self.line.clear();
            self.line.extend_from_slice(b"{\"at\":");
            put_thousandths(&mut self.line, at.as_millis());
            put_region(&mut self.line, labels, &published.set(set).region);
            self.line.extend_from_slice(b"}\n");
            self.file.add(&self.line)?;
        }
        Ok(())
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        Ok(self.file.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshcloak::map::StreetId;
    use meshcloak::query::QueryId;
    use meshcloak::region::Region;

    #[test]
    fn disclosures_are_ordered_by_region_and_sets_disclosed_once() {
        let map = meshcloak::town::town("A 0,0  B 9,0  C 20,0 | A-B B-C").map;
        let mut published = Published::default();
        let sets: [(&[u64], &[u32]); 5] = [
            (&[1, 2], &[1]),
            (&[3, 4], &[0, 1]),
            (&[1, 2], &[1]),
            (&[0, 9], &[1]),
            (&[5, 6], &[0]),
        ];
        for (members, streets) in sets {
            let streets: Vec<StreetId> = streets.iter().copied().map(StreetId).collect();
            let members = members.iter().copied().map(QueryId);
            published.add(members, &Region::Mesh(streets.into()));
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("d");
        let mut file = DisclosureFile::create(&path).expect("the file is created");
        file.write(&Labels::of(&map), &published, Time::from_millis(1_500))
            .expect("the file is written");
        file.finish().expect("the file is completed");
        let expected = r#"{"at":1.5,"mesh":["A-B"]}
{"at":1.5,"mesh":["A-B","B-C"]}
{"at":1.5,"mesh":["B-C"]}
{"at":1.5,"mesh":["B-C"]}
"#;
        assert_eq!(std::fs::read_to_string(path).expect("the file exists"), expected);
    }
}
