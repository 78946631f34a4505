// Context of a view, and the cleanup function that a view returns.

import type { CityMap, MapInfo } from '../citymap';
import type { DemoInfo, PageInfo } from '../api/client';

export interface Scene {
  page: PageInfo;
  info: MapInfo;
  demo: DemoInfo | null;
  stage: HTMLElement;
  panel: HTMLElement;
  /** The map shared by the views that show one. */
  map(): CityMap;
  params: URLSearchParams;
  keep(values: Record<string, string | number | null>): void;
}

export type Cleanup = () => void;
