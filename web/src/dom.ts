// DOM helpers: h('button', { type: 'button', onclick }, 'Ask') creates an element with children.

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | null = null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'value') (element as unknown as HTMLInputElement).value = String(value);
    else if (value === true) element.setAttribute(name, '');
    else element.setAttribute(name, String(value));
  }
  fill(element, ...children);
  return element;
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: Child[]): void {
  const nodes = children.filter((c): c is Node | string | number => c !== null && c !== undefined && c !== false);
  element.replaceChildren(...nodes.map((c) => (c instanceof Node ? c : String(c))));
}

/** Sets a text only if it differs, so that screen readers do not repeat it. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export interface Option {
  value: string;
  label: string;
}

/** Creates a labelled select. */
export function choice(
  label: string,
  options: Option[],
  value: string,
  onchange: (value: string) => void,
): { field: HTMLElement; select: HTMLSelectElement } {
  const select = h(
    'select',
    { onchange: () => onchange(select.value) },
    ...options.map((o) => h('option', { value: o.value }, o.label)),
  );
  select.value = value;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return { field: h('label', { class: 'field' }, h('span', null, label), select), select };
}

/** Creates a labelled slider that shows its formatted value. */
export function slider(
  label: string,
  range: { min: number; max: number; step: number },
  value: number,
  words: (value: number) => string,
  onchange: (value: number) => void,
): HTMLElement {
  const told = h('output', null, words(value));
  const input = h('input', { type: 'range', ...range, value, 'aria-label': label });
  input.setAttribute('aria-valuetext', words(value));
  input.addEventListener('input', () => {
    told.textContent = words(input.valueAsNumber);
    input.setAttribute('aria-valuetext', words(input.valueAsNumber));
    onchange(input.valueAsNumber);
  });
  return h('div', { class: 'field' }, h('span', { class: 'row' }, h('span', null, label), told), input);
}

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

export function metres(m: number): string {
  const digits = m < 9950 ? 2 : m < 999_950 ? 1 : 0;
  const kilometres = (m / 1000).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return m < 995 ? `${Math.round(m)} m` : `${kilometres} km`;
}
