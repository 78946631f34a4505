// Types of the API, generated from its OpenAPI document, under the names that apps use.

import type { components } from './schema.js';

type Schemas = components['schemas'];

/** Objects within a radius, or the nearest objects. */
export type Question = Omit<Schemas['QuestionBody'], 'along'> & { along?: Schemas['Along'] };
/** How well a query was protected. */
export type Receipt = Schemas['Receipt'];
/** An object that was found. */
export type Found = Schemas['FoundBody'];
/** Result of a query as the gateway sends it. */
export type Result = Schemas['ResultBody'];
/** Refusal as the gateway sends it. */
export type RefusalBody = Schemas['RefusalBody'];

type Wire = Schemas['QueryRequest'];

/** A position report of a user. `dc`, or `speed` and `interval`, says how far the user moves. */
export type Report = Omit<Wire, 'question' | 'ticket'> & { ticket?: string };
/** A report with a question. */
export type Query = Report & { question: Question };

/** A question of the user of a personal token. Missing `k` and `dt` are those of the user's settings. */
export type OwnQuery = Omit<Schemas['MeQuery'], 'question'> & { question: Question };
/** What the user of a personal token may ask. */
export type Own = Schemas['MeBody'];

/** An answer: objects nearest first, and the receipt. */
export interface Answer {
  ticket: string;
  objects: Found[];
  receipt: Receipt;
}
