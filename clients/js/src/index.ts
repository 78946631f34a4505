// Client of the gateway. Fails closed: there is no path that asks a service in the clear, an answer
// is returned only if the user was hidden, and positions go to the gateway over TLS only.

import { MeshCloakError, Refused, Unreachable } from './errors.js';
import { Live, type LiveOptions } from './live.js';
import { answerOf, isRefusal, refusalOf } from './results.js';
import type { Answer, Own, OwnQuery, Query, Report, Result } from './types.js';

export * from './errors.js';
export * from './types.js';
export { describe } from './receipt.js';
export { Live, type Ask, type LiveEvent, type LiveOptions, type Position } from './live.js';

export interface Options {
  /** Address of the gateway; `https`, or `http` on this machine. */
  url: string;
  /** Key of the account, `mc_…`, or for `own` and `askOwn` the personal token of a user, `mp_…`. */
  key: string;
  /** Throw [[NotExact]] if objects may be missing; on by default. */
  exact?: boolean;
  /** Attempts of a request that the network has lost. A repeated ticket asks once. */
  attempts?: number;
  fetch?: typeof fetch;
  WebSocket?: typeof WebSocket;
}

export interface AskOptions {
  signal?: AbortSignal;
}

/** One line of a stream: an answer, or why there is none. */
export type StreamLine = { ticket: string; answer: Answer } | { ticket: string | null; error: MeshCloakError };

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export class MeshCloak {
  private readonly base: URL;

  constructor(private readonly options: Options) {
    this.base = new URL(options.url);
    if (this.base.protocol !== 'https:' && !(this.base.protocol === 'http:' && LOOPBACK.test(this.base.hostname))) {
      throw new MeshCloakError(`${this.base.origin}: positions are sent over https only`);
    }
  }

  /** Asks a question of a user. Resolves when the user was hidden and the service has answered. */
  async ask(query: Query, { signal }: AskOptions = {}): Promise<Answer> {
    return answerOf(await this.submit(query, signal), this.options.exact ?? true);
  }

  /** Reports the presence of a user, which hides others. Resolves when the report has ended. */
  async present(report: Report, { signal }: AskOptions = {}): Promise<void> {
    const { outcome, message } = await this.submit(report, signal);
    if (outcome !== 'present') throw new MeshCloakError(message ?? `the report ended as ${outcome}`);
  }

  /** Returns what the user of the personal token may ask. */
  own(): Promise<Own> {
    return this.json<Own>('v1/me', {});
  }

  /** Asks a question of the user of the personal token. It has no ticket, so that a lost request is not repeated. */
  async askOwn(query: OwnQuery, { signal }: AskOptions = {}): Promise<Answer> {
    const init = { method: 'POST', body: JSON.stringify(query), ...(signal ? { signal } : {}) };
    return answerOf(await this.json<Result>('v1/me/queries', init), this.options.exact ?? true);
  }

  /** Cancels a query. Returns whether it was cancelled before it was published. */
  async cancel(ticket: string): Promise<boolean> {
    const path = `v1/queries/${encodeURIComponent(ticket)}`;
    const result = await this.json<Result>(path, { method: 'DELETE' });
    return result.outcome === 'cancelled';
  }

  /**
   * Asks any number of queries over one connection; answers arrive in order of completion. An array is
   * sent at once, which works in every browser; an async iterable needs a browser that streams bodies.
   */
  async *stream(queries: AsyncIterable<Query> | Iterable<Query>, { signal }: AskOptions = {}): AsyncGenerator<StreamLine> {
    const body = Symbol.asyncIterator in queries ? streamed(queries) : Array.from(queries, ndjson).join('');
    // Half duplex: browsers and Node require it for a body that is a stream.
    const init = { method: 'POST', body, duplex: 'half', ...(signal ? { signal } : {}) } as RequestInit;
    const response = await this.request('v1/queries/stream', init, 'application/x-ndjson');
    if (!response.ok || !response.body) throw await failure(response);
    for await (const line of lines(response.body)) yield this.line(JSON.parse(line));
  }

  /** Opens the continuous queries of one user. */
  live(options: LiveOptions): Live {
    const { key, WebSocket: Socket = globalThis.WebSocket } = this.options;
    if (!Socket) throw new MeshCloakError('there is no WebSocket: pass one in the options');
    const url = new URL('v1/live', this.base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    // A browser cannot send headers with a WebSocket; the key is a subprotocol.
    const connect = (): WebSocket => new Socket(url, ['meshcloak', `key.${key}`]);
    return new Live(connect, () => this.refusedKey(), { exact: this.options.exact ?? true, ...options });
  }

  /** Asks whether the key is refused: a failed handshake of a WebSocket does not tell. */
  private async refusedKey(): Promise<Refused | null> {
    const response = await this.request('v1/live', {}, '').catch(() => null);
    const error = response?.status === 401 ? await failure(response) : null;
    return error instanceof Refused ? error : null;
  }

  private line(body: unknown): StreamLine {
    if (isRefusal(body)) {
      return { ticket: body.ticket ?? null, error: new Refused(body.reason, body.message, 200) };
    }
    const result = body as Result;
    try {
      return { ticket: result.ticket, answer: answerOf(result, this.options.exact ?? true) };
    } catch (error) {
      return { ticket: result.ticket, error: error as MeshCloakError };
    }
  }

  /** Submits a query. After a network error the same ticket is submitted again. */
  private async submit(query: Query | Report, signal?: AbortSignal): Promise<Result> {
    const body = JSON.stringify(withTicket(query));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.json<Result>('v1/queries', { method: 'POST', body, ...(signal ? { signal } : {}) });
      } catch (error) {
        const isLast = attempt >= (this.options.attempts ?? 2) || signal?.aborted;
        if (!(error instanceof Unreachable) || isLast) throw error;
      }
    }
  }

  private async json<T>(path: string, init: RequestInit): Promise<T> {
    const response = await this.request(path, init, 'application/json');
    // A failed service is a result of the API.
    if (!response.ok && response.status !== 502) throw await failure(response);
    return (await parsed(response)) as T;
  }

  private async request(path: string, init: RequestInit, type: string): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.options.key}` };
    if (init.body) headers['content-type'] = type;
    const send = this.options.fetch ?? globalThis.fetch;
    try {
      // Redirects are not followed: they would send the position elsewhere.
      return await send(new URL(path, this.base), { ...init, headers, redirect: 'error', referrerPolicy: 'no-referrer', credentials: 'omit' });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new Unreachable(`${this.base.origin} cannot be reached`);
    }
  }
}

function withTicket<T extends Report>(query: T): T & { ticket: string } {
  return { ...query, ticket: query.ticket ?? crypto.randomUUID() };
}

const ndjson = (query: Query): string => `${JSON.stringify(withTicket(query))}\n`;

/** A body that sends each query as soon as it is known. */
function streamed(queries: AsyncIterable<Query>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = queries[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) return controller.close();
      controller.enqueue(encoder.encode(ndjson(value)));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function parsed(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new Unreachable(`status ${response.status} without JSON`);
  }
}

async function failure(response: Response): Promise<MeshCloakError> {
  const body = await parsed(response).catch(() => null);
  if (isRefusal(body)) return refusalOf(body, response.status, response.headers.get('retry-after'));
  return new Unreachable(`the gateway answered with status ${response.status}`);
}

/** Splits a body into lines. */
async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const parts = rest.split('\n');
      rest = parts.pop() ?? '';
      yield* parts.filter((line) => line !== '');
      if (done) break;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
