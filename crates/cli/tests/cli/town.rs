//! Fixture for `meshcloak cloak`: a town of four streets of 100 m in a row and a file of queries.

use crate::program::{Run, meshcloak};
use std::fs;
use tempfile::TempDir;

/// Temporary folder with the town and a file of queries.
pub struct TownFixture(TempDir);

impl TownFixture {
    /// Writes the town and these queries.
    pub fn new(queries: &str) -> TownFixture {
        let town = TownFixture(tempfile::tempdir().unwrap());
        let nodes = "id,x,y\na,0,0\nb,100,0\nc,200,0\nd,300,0\ne,400,0\n";
        fs::write(town.path("t.nodes.csv"), nodes).unwrap();
        let streets = "id,from,to\ns1,a,b\ns2,b,c\ns3,c,d\ns4,d,e\n";
        fs::write(town.path("t.streets.csv"), streets).unwrap();
        fs::write(town.path("q"), queries).unwrap();
        town
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        let (map, queries, out) = (self.path("t"), self.path("q"), self.path("o"));
        let mut all = vec!["cloak", &map, "--queries", &queries, "--out", &out];
        all.extend(arguments);
        meshcloak(&all)
    }

    pub fn outcomes(&self, arguments: &[&str]) -> String {
        self.run(arguments).done();
        fs::read_to_string(self.path("o")).unwrap()
    }

    /// Returns the names of files that were not there at the beginning.
    pub fn left_behind(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| !["q", "t.nodes.csv", "t.streets.csv"].contains(&&**name)).collect()
    }
}
