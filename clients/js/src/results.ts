// From results of the gateway to answers. Fails closed: only `answered` becomes an answer.

import { MeshCloakError, NotExact, NotHidden, Refused, ServiceFailed, Unreachable } from './errors.js';
import type { Answer, RefusalBody, Result } from './types.js';

/** Returns the answer of a result, or throws why there is none. */
export function answerOf(result: Result, exact: boolean): Answer {
  const { outcome, answer, receipt, message, ticket } = result;
  switch (outcome) {
    case 'answered':
      if (!answer || !receipt) throw new Unreachable('the gateway sent an answer without receipt');
      if (exact && !receipt.exact) throw new NotExact('objects may be missing from the answer');
      return { ticket, objects: answer, receipt };
    case 'expired':
    case 'cancelled':
      throw new NotHidden(message ?? `the query was ${outcome}; the service was not asked`);
    case 'failed':
      throw new ServiceFailed(message ?? 'the service did not answer');
    default:
      throw new MeshCloakError(message ?? `the query ended as ${outcome}`);
  }
}

/** Whether a body is a refusal. */
export function isRefusal(body: unknown): body is RefusalBody {
  return typeof body === 'object' && body !== null && 'reason' in body;
}

export function refusalOf(body: RefusalBody, status: number, retryAfter: string | null): Refused {
  const seconds = Number(retryAfter);
  return new Refused(body.reason, body.message, status, retryAfter && seconds >= 0 ? seconds : null);
}
