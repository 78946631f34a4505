// Page state in the URL fragment, #view?key=value, so that links can be bookmarked and shared.

export type View = 'live' | 'ask' | 'attack' | 'operator' | 'cluster';

export interface State {
  view: View;
  params: URLSearchParams;
}

const views: View[] = ['live', 'ask', 'attack', 'operator', 'cluster'];

export function read(first: View): State {
  const [name, query] = location.hash.replace(/^#/, '').split('?', 2);
  const view = views.find((v) => v === name) ?? first;
  return { view, params: new URLSearchParams(query ?? '') };
}

export const link = (view: View, params?: URLSearchParams): string => {
  const query = params?.toString().replaceAll('%2C', ',');
  return query ? `#${view}?${query}` : `#${view}`;
};

/** Writes values into the URL without a history entry; empty values are removed. */
export function keep(first: View, values: Record<string, string | number | null>): void {
  const { view, params } = read(first);
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === '') params.delete(key);
    else params.set(key, String(value));
  }
  const next = link(view, params);
  if (next !== location.hash) history.replaceState(null, '', next);
}

/** Reads an integer parameter, clamped to its range. */
export function whole(params: URLSearchParams, key: string, usual: number, min: number, max: number): number {
  const text = params.get(key);
  const value = text === null ? NaN : Number(text);
  return Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : usual;
}
