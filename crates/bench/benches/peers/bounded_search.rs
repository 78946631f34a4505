//! Bounded searches in the manner of RoutingKit: flat arrays of arcs, and a 4-ary heap of nodes with
//! decrease-key. Rows stay in the order of distance.

/// Arcs in compressed sparse row form, and the scratch buffers of a search.
pub struct BoundedSearch {
    first: Vec<u32>,
    heads: Vec<u32>,
    lengths: Vec<u32>,
    /// Search that last reached each node.
    reached_by: Vec<u32>,
    queue: NodeQueue,
}

/// Distances from all nodes, one row after the other.
#[derive(Default)]
pub struct FlatRows {
    ends: Vec<u32>,
    nodes: Vec<u32>,
    distances: Vec<u32>,
}

impl BoundedSearch {
    /// Builds the graph from arcs sorted by their first node: from, to, length.
    pub fn new(node_count: usize, arcs: impl Iterator<Item = [u32; 3]>) -> BoundedSearch {
        let (mut first, mut heads, mut lengths) = (vec![0], Vec::new(), Vec::new());
        for [from, to, length] in arcs {
            first.resize(from as usize + 1, heads.len() as u32);
            heads.push(to);
            lengths.push(length);
        }
        first.resize(node_count + 1, heads.len() as u32);
        let (reached_by, queue) = (vec![u32::MAX; node_count], NodeQueue::new(node_count));
        BoundedSearch { first, heads, lengths, reached_by, queue }
    }

    /// Searches from every node.
    pub fn rows(mut self, bound: u32) -> FlatRows {
        let mut rows = FlatRows::default();
        for source in 0..self.reached_by.len() as u32 {
            self.search(source, bound, &mut rows);
            rows.ends.push(rows.nodes.len() as u32);
        }
        rows
    }

    fn search(&mut self, source: u32, bound: u32, rows: &mut FlatRows) {
        self.reached_by[source as usize] = source;
        self.queue.push(source, 0);
        while let Some((node, distance)) = self.queue.pop() {
            rows.nodes.push(node);
            rows.distances.push(distance);
            let arcs = self.first[node as usize] as usize..self.first[node as usize + 1] as usize;
            for (&to, &length) in self.heads[arcs.clone()].iter().zip(&self.lengths[arcs]) {
                let through = distance + length;
                if through > bound {
                    continue;
                }
                if self.reached_by[to as usize] == source {
                    self.queue.decrease(to, through);
                } else {
                    self.reached_by[to as usize] = source;
                    self.queue.push(to, through);
                }
            }
        }
    }
}

impl FlatRows {
    /// Number of pairs of nodes within the bound.
    pub fn pair_count(&self) -> usize {
        self.distances.len()
    }
}

/// Nodes by distance: a 4-ary heap that knows the place of each node.
struct NodeQueue {
    heap: Vec<(u32, u32)>,
    /// Place of each node in `heap`; [`REMOVED`] after it was taken.
    places: Vec<u32>,
}

const REMOVED: u32 = u32::MAX;

impl NodeQueue {
    fn new(node_count: usize) -> NodeQueue {
        NodeQueue { heap: Vec::new(), places: vec![REMOVED; node_count] }
    }

    fn push(&mut self, node: u32, distance: u32) {
        self.heap.push((distance, node));
        self.raise(self.heap.len() - 1);
    }

    fn decrease(&mut self, node: u32, distance: u32) {
        let place = self.places[node as usize];
        if place != REMOVED && distance < self.heap[place as usize].0 {
            self.heap[place as usize].0 = distance;
            self.raise(place as usize);
        }
    }

    fn pop(&mut self) -> Option<(u32, u32)> {
        let last = self.heap.pop()?;
        let Some(&(distance, node)) = self.heap.first() else {
            self.places[last.1 as usize] = REMOVED;
            return Some((last.1, last.0));
        };
        self.places[node as usize] = REMOVED;
        self.sink(last);
        Some((node, distance))
    }

    /// Moves an entry up from `place`.
    fn raise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 && entry.0 < self.heap[(place - 1) / 4].0 {
            self.put(place, self.heap[(place - 1) / 4]);
            place = (place - 1) / 4;
        }
        self.put(place, entry);
    }

    /// Moves an entry down from the root.
    fn sink(&mut self, entry: (u32, u32)) {
        let mut place = 0;
        loop {
            let children = 4 * place + 1..(4 * place + 5).min(self.heap.len());
            let smallest = children.min_by_key(|&child| self.heap[child].0);
            let Some(child) = smallest.filter(|&child| self.heap[child].0 < entry.0) else { break };
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (u32, u32)) {
        self.heap[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}
