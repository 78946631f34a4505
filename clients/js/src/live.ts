// A WebSocket session that survives its socket: after a break it resumes, and the gateway repeats
// what was lost. A position that is sent while there is no socket is dropped, not kept.

import { MeshCloakError, Refused, Unreachable } from './errors.js';
import { answerOf } from './results.js';
import type { Answer, Question, RefusalBody, Result } from './types.js';

/** What a session asks with each position. Missing members are those of the user's settings. */
export interface Ask {
  k?: number;
  dt?: number;
  /** `null` reports presence only. */
  question?: Question | null;
}

/** A position in degrees; `speed` in m/s and `interval` in seconds, or `dc` in metres. */
export interface Position {
  lon: number;
  lat: number;
  ticket?: string;
  speed?: number;
  interval?: number;
  dc?: number;
}

/** What a session receives. */
export type LiveEvent =
  | { type: 'answer'; answer: Answer }
  | { type: 'present'; ticket: string }
  | { type: 'error'; ticket: string | null; error: MeshCloakError }
  | { type: 'skipped'; count: number }
  | { type: 'open'; resumed: boolean }
  | { type: 'closed'; code: number; reason: string };

export interface LiveOptions {
  person: string;
  ask?: Ask;
  /** Largest time between two attempts to connect, in milliseconds. */
  maxBackoff?: number;
  exact?: boolean;
}

type Message =
  | { type: 'welcome'; resume: string; resumed: boolean; seq: number }
  | { type: 'result'; seq: number; result: Result }
  | { type: 'refused'; seq: number; refused: RefusalBody }
  | { type: 'error'; seq: number; error: RefusalBody }
  | { type: 'skipped'; count: number };

const ABNORMAL = 1006;
const POLICY = 1008;
const RESUMED_ELSEWHERE = 'resumed by another connection';

/** A session of one user. Iterate over it to receive events. */
export class Live implements AsyncIterable<LiveEvent> {
  private socket: WebSocket | null = null;
  private resume: string | null = null;
  private after = 0;
  private backoff = 250;
  private ended = false;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly events: LiveEvent[] = [];
  private wake: (() => void) | null = null;

  constructor(
    private readonly connect: () => WebSocket,
    /** Resolves with the refusal of the key, which a failed handshake does not tell. */
    private readonly refusedKey: () => Promise<Refused | null>,
    private readonly options: LiveOptions,
  ) {
    this.open();
  }

  /** Whether a position can be sent now. */
  get isOpen(): boolean {
    return this.socket?.readyState === 1 && this.resume !== null;
  }

  /** Sends a position. Returns false, and sends nothing, without a session. */
  position(position: Position): boolean {
    return this.send({ type: 'position', ...position });
  }

  /** Replaces the standing question. Returns false without a session. */
  ask(ask: Ask): boolean {
    if (!this.send({ type: 'ask', ...ask })) return false;
    this.options.ask = { ...this.options.ask, ...ask };
    return true;
  }

  /** Ends the session. */
  close(): void {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
    this.socket?.close(1000);
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<LiveEvent> {
    for (;;) {
      const event = this.events.shift();
      if (event) yield event;
      else if (this.ended) return;
      else await new Promise<void>((wake) => (this.wake = wake));
    }
  }

  private push(event: LiveEvent): void {
    this.events.push(event);
    this.wake?.();
  }

  private send(message: object): boolean {
    if (!this.isOpen) return false;
    this.socket?.send(JSON.stringify(message));
    return true;
  }

  private open(): void {
    const { person, ask } = this.options;
    const socket = this.connect();
    this.socket = socket;
    const known = this.resume;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      // A session that is gone begins anew, with this `ask` and not with the user's settings.
      const first = known ? { resume: known, after: this.after } : {};
      socket.send(JSON.stringify({ type: 'hello', person, ...first, ...(ask ? { ask } : {}) }));
    };
    socket.onmessage = ({ data }) => this.receive(String(data));
    // After a failed handshake some implementations send no `close`.
    socket.onerror = () => setTimeout(() => this.lost(socket, opened, ABNORMAL, ''), 0);
    socket.onclose = ({ code, reason }) => this.lost(socket, opened, code, reason);
  }

  private async lost(socket: WebSocket, opened: boolean, code: number, reason: string): Promise<void> {
    if (this.socket !== socket || this.ended) return;
    this.socket = null;
    this.push({ type: 'closed', code, reason });
    // A refused `hello` or key is not repeated: the same would be refused again.
    if (code === POLICY && reason !== '' && !reason.includes('slowly')) {
      return this.end(reason === RESUMED_ELSEWHERE ? new MeshCloakError(reason) : new Refused('closed', reason, 0));
    }
    const refused = opened ? null : await this.refusedKey();
    if (refused) return this.end(refused);
    if (this.ended) return;
    this.timer = setTimeout(() => this.open(), this.backoff);
    this.backoff = Math.min(this.backoff * 2, this.options.maxBackoff ?? 30_000);
  }

  /** Ends the session with an error. */
  private end(error: MeshCloakError): void {
    this.push({ type: 'error', ticket: null, error });
    this.ended = true;
    this.wake?.();
  }

  private receive(text: string): void {
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
    } catch {
      return this.push({ type: 'error', ticket: null, error: new Unreachable('a message is not JSON') });
    }
    // Messages that are repeated after a resumption were received before.
    if ('seq' in message && message.type !== 'welcome') {
      if (message.seq > 0 && message.seq <= this.after) return;
      this.after = Math.max(this.after, message.seq);
    }
    switch (message.type) {
      case 'welcome':
        if (!message.resumed) this.after = message.seq;
        this.resume = message.resume;
        this.backoff = 250;
        return this.push({ type: 'open', resumed: message.resumed });
      case 'result':
        return this.result(message.result);
      case 'refused':
        return this.refused(message.refused);
      case 'error':
        return this.refused(message.error);
      case 'skipped':
        return this.push({ type: 'skipped', count: message.count });
    }
  }

  private result(result: Result): void {
    if (result.outcome === 'present') return this.push({ type: 'present', ticket: result.ticket });
    try {
      this.push({ type: 'answer', answer: answerOf(result, this.options.exact ?? true) });
    } catch (error) {
      this.push({ type: 'error', ticket: result.ticket, error: error as MeshCloakError });
    }
  }

  private refused(body: RefusalBody): void {
    const error = new Refused(body.reason, body.message, 0);
    this.push({ type: 'error', ticket: body.ticket ?? null, error });
  }
}
