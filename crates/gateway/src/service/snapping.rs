//! Snapping of received objects to the streets of the map.

use super::{Object, PlanarSettings, RawObject, ServiceError};
use crate::question::Category;
use crate::walk::Walker;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Objects of an inquiry, to which received ones are added.
pub(super) struct Snapping {
    pub walker: Arc<Walker>,
    pub settings: PlanarSettings,
    pub wanted: Category,
    pub objects: BTreeMap<String, Arc<Object>>,
}

impl Snapping {
    /// Adds objects. Those of other categories, with invalid points or with known ids are dropped.
    pub fn add(
        mut self,
        received: Vec<RawObject>,
    ) -> Result<BTreeMap<String, Arc<Object>>, ServiceError> {
        let PlanarSettings { max_street_distance, max_objects, .. } = self.settings;
        for RawObject { id, name, category, point } in received {
            let is_finite = point.x.is_finite() && point.y.is_finite();
            if !is_finite || !self.wanted.includes(&category) || self.objects.contains_key(&id) {
                continue;
            }
            if self.objects.len() == max_objects {
                return Err(ServiceError::TooManyObjects(max_objects));
            }
            let snapped = self.walker.map().snap(point, Some(max_street_distance));
            let position = snapped.map(|snapped| snapped.position);
            let object = Object { id: id.clone(), name, category, point, position };
            self.objects.insert(id, Arc::new(object));
        }
        Ok(self.objects)
    }
}
