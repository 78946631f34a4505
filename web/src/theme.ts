// Light and dark theme: the system's preference until the user chooses. Colours of the map are here,
// those of the page in style.css. Hues follow Okabe and Ito's colour-blind safe palette.

export type Mode = 'light' | 'dark';
type ThemeChoice = Mode | 'auto';

export interface Palette {
  ground: string;
  street: [major: string, minor: string];
  label: string;
  halo: string;
  poi: string;
  person: string;
  waiting: string;
  me: string;
  meshes: string[];
  kept: string;
  gone: string;
}

const palettes: Record<Mode, Palette> = {
  light: {
    ground: '#dde2df', street: ['#ffffff', '#f8faf8'], label: '#4d575c', halo: '#f4f5f2', poi: '#75694f',
    person: '#46545e', waiting: '#b35900', me: '#a3195b',
    meshes: ['#0072b2', '#b35900', '#00805d', '#a84f86', '#3c8dc4', '#7a6a00'],
    kept: '#0072b2', gone: '#8d9690',
  },
  dark: {
    ground: '#12171c', street: ['#46545f', '#303b44'], label: '#9fabb5', halo: '#12171c', poi: '#b9a77c',
    person: '#a9bac7', waiting: '#f0a63c', me: '#ff6fae',
    meshes: ['#56b4e9', '#e69f00', '#1fc79a', '#dd8fbb', '#8fd0ff', '#e5d84a'],
    kept: '#56b4e9', gone: '#5f6f7c',
  },
};

const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<(mode: Mode) => void>();
let selection: ThemeChoice = read();

function read(): ThemeChoice {
  try {
    const kept = localStorage.getItem('theme');
    return kept === 'light' || kept === 'dark' ? kept : 'auto';
  } catch {
    return 'auto';
  }
}

export function mode(): Mode {
  return selection === 'auto' ? (system.matches ? 'dark' : 'light') : selection;
}

export const palette = (): Palette => palettes[mode()];

/** Calls the listener now and on every change; returns a function that unsubscribes. */
export function onTheme(listener: (mode: Mode) => void): () => void {
  listeners.add(listener);
  listener(mode());
  return () => listeners.delete(listener);
}

function changed(): void {
  document.documentElement.dataset['theme'] = mode();
  listeners.forEach((listener) => listener(mode()));
}

/** Turns a button into a toggle between light and dark. */
export function themeButton(button: HTMLButtonElement): void {
  button.addEventListener('click', () => {
    selection = mode() === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('theme', selection);
    } catch {
      // Storage is unavailable: the choice lasts for this visit.
    }
    changed();
  });
  onTheme((now) => {
    const other = now === 'dark' ? 'light' : 'dark';
    button.textContent = now === 'dark' ? '☀' : '☾';
    button.setAttribute('aria-label', `Switch to ${other} colours`);
    button.title = `Switch to ${other} colours`;
  });
  system.addEventListener('change', changed);
  changed();
}
