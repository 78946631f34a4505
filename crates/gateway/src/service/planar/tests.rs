use super::*;
use futures_util::FutureExt as _;
use meshcloak::distance::Atlas;
use meshcloak::units::Length;
use std::sync::mpsc;

/// A service whose answer is ready at once.
struct Ready;

impl PlanarService for Ready {
    fn name(&self) -> &'static str {
        "ready"
    }

    fn range<'a>(
        &'a self,
        _: RangeRequest<'a>,
        _: &'a RequestPolicy,
    ) -> ServiceFuture<'a, RangeAnswer> {
        let text = String::from("a");
        let point = Point::new(0.0, 0.0);
        let object = RawObject { id: text.clone(), name: text.clone(), category: text, point };
        let answer = RangeAnswer { objects: vec![object], truncated: false };
        Box::pin(async move { Ok(answer) })
    }

    fn categories(&self) -> ServiceFuture<'_, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[test]
fn received_objects_are_snapped_on_a_thread_for_blocking_work() {
    let source = "city:500:7".parse().unwrap();
    let map = import::read_map(&source, &import::Options::default(), &()).unwrap().map;
    let walker = Arc::new(Walker::new(Arc::new(Atlas::new(map, Length::metres(300.0)))));
    let planar = Planar::new(walker, Ready, PlanarSettings::default());
    let runtime =
        tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    let _guard = runtime.enter();
    // The only thread for blocking work is busy until `release` is dropped.
    let (release, released) = mpsc::channel::<()>();
    let busy = runtime.spawn_blocking(move || released.recv().is_err());
    let mut answer = PartialAnswer {
        objects: BTreeMap::new(),
        completeness: Completeness::Complete,
        ranges: 0,
        received: ReceivedBytes::new(None),
    };
    {
        let policy = RequestPolicy::unlimited();
        let fetched = planar.fetch(None, &Category::Any, &policy, &mut answer);
        let mut fetch = Box::pin(fetched);
        assert!((&mut fetch).now_or_never().is_none(), "snapped on the runtime");
        drop(release);
        runtime.block_on(fetch).unwrap();
    }
    assert!(runtime.block_on(busy).unwrap());
    assert_eq!(answer.objects.len(), 1);
}
