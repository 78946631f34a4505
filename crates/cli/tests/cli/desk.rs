//! A folder with a town of four streets of 100 m in a row, and what `meshcloak cloak` is asked there.

use crate::program::{Run, meshcloak};
use std::fs;
use tempfile::TempDir;

/// A folder with the town and a file of queries.
pub struct Desk(TempDir);

impl Desk {
    /// A desk with these queries.
    pub fn new(queries: &str) -> Desk {
        let desk = Desk(tempfile::tempdir().unwrap());
        let nodes = "id,x,y\na,0,0\nb,100,0\nc,200,0\nd,300,0\ne,400,0\n";
        fs::write(desk.path("t.nodes.csv"), nodes).unwrap();
        let streets = "id,from,to\ns1,a,b\ns2,b,c\ns3,c,d\ns4,d,e\n";
        fs::write(desk.path("t.streets.csv"), streets).unwrap();
        fs::write(desk.path("q"), queries).unwrap();
        desk
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

    /// The names of the files in the folder that were not there at the beginning.
    pub fn left_behind(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| !["q", "t.nodes.csv", "t.streets.csv"].contains(&&**name)).collect()
    }
}
