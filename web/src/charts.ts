// Sparkline of one value over the last two minutes.

import { onTheme } from './theme';
import { h } from './dom';

const CAPACITY = 120;

export class Spark {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  private readonly figure = h('strong', null, '–');
  private readonly unit = h('small');
  private readonly values: number[] = [];
  private readonly sizes = new ResizeObserver(() => this.draw());
  private readonly unsubscribeTheme: () => void;

  constructor(
    label: string,
    private readonly words: (value: number) => [figure: string, unit: string],
    private readonly options: { max?: number; id?: string } = {},
  ) {
    const told = h('span', { class: 'told' }, this.figure, this.unit);
    this.element = h('div', { class: 'spark', id: options.id ?? null }, h('span', { class: 'label' }, label), told, this.canvas);
    this.unsubscribeTheme = onTheme(() => this.draw());
    this.sizes.observe(this.canvas);
  }

  push(value: number | null): void {
    if (value === null) return;
    this.values.push(value);
    if (this.values.length > CAPACITY) this.values.shift();
    const [figure, unit] = this.words(value);
    this.figure.textContent = figure;
    this.unit.textContent = unit;
    this.draw();
  }

  remove(): void {
    this.unsubscribeTheme();
    this.sizes.disconnect();
  }

  private draw(): void {
    const { canvas, values } = this;
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext('2d');
    if (!pen || values.length < 2) return;
    pen.scale(scale, scale);
    const top = this.options.max ?? Math.max(1e-9, ...values) * 1.15;
    const x = (i: number): number => width - 2 - ((values.length - 1 - i) * (width - 4)) / (Math.max(30, values.length) - 1);
    const y = (v: number): number => height - 1.5 - (Math.min(v, top) / top) * (height - 4);
    const colour = getComputedStyle(canvas).color;
    pen.beginPath();
    values.forEach((v, i) => pen.lineTo(x(i), y(v)));
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.lineJoin = 'round';
    pen.stroke();
    pen.lineTo(x(values.length - 1), height);
    pen.lineTo(x(0), height);
    pen.globalAlpha = 0.12;
    pen.fillStyle = colour;
    pen.fill();
    pen.globalAlpha = 1;
    pen.beginPath();
    pen.arc(x(values.length - 1), y(values[values.length - 1] ?? 0), 2, 0, 7);
    pen.fill();
  }
}
