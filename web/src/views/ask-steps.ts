// The steps of a query as text.

import type { QueryRequest, QueryResult, Refusal, Truth } from '../api/client';
import { fill, h, metres, plural } from '../dom';

const titles = ['Query waits', 'Anonymity set found', 'Region sent', 'Objects returned', 'Answer refined'];
type Mark = 'now' | 'done' | 'failed' | '';

export class Steps {
  private readonly steps = titles.map((title) => {
    const words = h('span');
    return { item: h('li', null, h('strong', null, title), words), words };
  });
  private readonly end = h('div', { class: 'part', id: 'ending', 'aria-live': 'polite' });
  readonly element = h('div', { class: 'part', hidden: true, id: 'story' },
    h('h2', null, 'Steps of your query'), h('ol', { class: 'steps', 'aria-live': 'polite' }, ...this.steps.map((s) => s.item)), this.end);
  private timer = 0;

  wait(request: QueryRequest): void {
    this.element.hidden = false;
    fill(this.end);
    this.steps.forEach((_, i) => this.mark(i, i === 0 ? 'now' : '', ''));
    const began = performance.now();
    // The clock is hidden from screen readers, which would read it every second.
    const clock = h('span', { 'aria-hidden': 'true' });
    this.write(0, `for at least ${plural(request.k - 1, 'other')} within mutual reach, up to ${request.dt} s`);
    this.steps[0]?.words.append(clock);
    const words = (): void => {
      clock.textContent = ` (${((performance.now() - began) / 1000).toFixed(0)} s so far)`;
    };
    words();
    clearInterval(this.timer);
    this.timer = setInterval(words, 1000) as unknown as number;
    this.element.scrollIntoView({ block: 'nearest' });
  }

  set(truth: Truth): void {
    clearInterval(this.timer);
    this.mark(0, 'done', 'Done.');
    const present = truth.set_size - truth.asking;
    const how = present > 0 ? `; ${present} of you asked nothing and ${present === 1 ? 'is' : 'are'} present` : '';
    this.mark(1, 'done', `You and ${plural(truth.set_size - 1, 'other')}, mutually reachable on the streets${how}. (Only the demo can show who asked.)`);
  }

  mesh(truth: Truth): void {
    this.mark(2, 'done', `The service is asked about ${plural(truth.streets.length, 'street')}, ${metres(truth.metres)} in all. It receives: “${truth.asked}.” No name, no position, no number of users.`);
  }

  answers(truth: Truth): void {
    this.mark(3, 'done', `${plural(truth.objects.length, 'object')}: a superset of every member’s answer.`);
  }

  found(result: QueryResult, truth: Truth): void {
    const found = result.answer ?? [];
    this.mark(4, 'done', `The gateway knows your position and keeps ${found.length === truth.objects.length ? 'all of them' : `${found.length} of them`}.`);
    const list = h('ul', { class: 'found', id: 'found' }, ...found.map((f) =>
      h('li', { 'data-id': f.id, 'data-metres': f.metres }, h('span', null, f.name || f.category.replaceAll('_', ' ')), h('span', { class: 'soft' }, metres(f.metres)))));
    fill(this.end, h('h2', null, found.length ? 'Your answer' : 'Your answer: no matching object'), list, receipt(result));
    this.end.scrollIntoView({ block: 'nearest' });
  }

  expired(request: QueryRequest, result: QueryResult, truth: Truth): void {
    clearInterval(this.timer);
    this.mark(0, 'failed', `${request.dt} s were not enough.`);
    const near = truth.neighbours;
    fill(this.end, h('div', { class: 'note warn', id: 'expired' },
      h('strong', null, result.outcome === 'expired' ? 'Your query expired. ' : 'No answer. '),
      sentence((result.message ?? '').replace(/^expired: /, '')),
      h('p', null, `Nothing was sent to the service: no answer is better than a disclosed position.`),
      near === null ? null : h('p', null, `Only the demo can tell why: at the deadline ${plural(near, 'other user')} waited in mutual reach; you asked for k = ${request.k}. ${advice(near, request.k)}`)));
    this.end.scrollIntoView({ block: 'nearest' });
  }

  refused(refusal: Refusal): void {
    this.trouble(`The gateway refused the question: ${refusal.message}`);
  }

  trouble(text: string): void {
    clearInterval(this.timer);
    this.mark(0, 'failed', '');
    fill(this.end, h('div', { class: 'note warn', role: 'alert' }, text));
  }

  private mark(step: number, mark: Mark, words: string): void {
    const item = this.steps[step]?.item;
    if (item) item.className = mark;
    this.write(step, words);
  }

  private write(step: number, words: string): void {
    const span = this.steps[step]?.words;
    if (span) span.textContent = words;
  }
}

const sentence = (text: string): string => (text ? `${text[0]?.toUpperCase()}${text.slice(1).replace(/[.]?$/, '.')}` : '');

function advice(near: number, k: number): string {
  if (near + 1 < k) return 'That is too few. Wait longer, move to a busier area, or lower k.';
  return 'They were not all mutually reachable, or were published in other sets. Waiting longer helps.';
}

function receipt(result: QueryResult): HTMLElement | null {
  const r = result.receipt;
  if (!r) return null;
  const promise: Record<string, string> = {
    paper: 'Algorithm 4 as printed (weaker: sets may overlap)',
    reciprocal: 'all members of the set published the same region at the same time',
    history: 'all members of the set published the same region at the same time, and k holds against an adversary who knows where each of them was before',
  };
  return h('div', { class: 'receipt', id: 'receipt' },
    h('strong', null, 'Receipt. '),
    `You asked for k = ${r.k}; the set has at least ${r.k_reached} members, at least ${r.k_asking} of them asking. ` +
    `Guarantee: ${promise[r.guarantee] ?? r.guarantee}. ${r.secret ? `Secret: ${r.secret}. ` : ''}The service saw ${plural(r.streets, 'street')}. ` +
    `You waited ${r.delay.toFixed(1)} s. The answer is ${r.exact ? 'exact: equal to that of a query with your true position' : 'not exact: the service may have omitted objects'}.`);
}
