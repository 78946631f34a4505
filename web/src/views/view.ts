// What a view is given, and what it gives back: a way to leave it.

import type { CityMap, MapInfo } from '../citymap';
import type { DemoInfo, PageInfo } from '../api/client';

export interface Scene {
  page: PageInfo;
  info: MapInfo;
  demo: DemoInfo | null;
  stage: HTMLElement;
  panel: HTMLElement;
  /** The map shared by all views that show one. */
  map(): CityMap;
  params: URLSearchParams;
  keep(values: Record<string, string | number | null>): void;
}

export type Leave = () => void;
