// A receipt in words.

import type { Receipt } from './types.js';

/** Returns sentences that say how a query was protected. */
export function describe(receipt: Receipt): string {
  const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  const sentences = [
    `You were hidden among at least ${plural(receipt.k_reached, 'user')}, at least ${receipt.k_asking} of them asking.`,
    `The service was asked about up to ${plural(receipt.streets, 'street')}, not about your position.`,
    `The query waited ${receipt.delay.toFixed(1)} seconds.`,
  ];
  if (!receipt.exact) {
    const left = receipt.left_out ? ` ${plural(receipt.left_out, 'object')} farther away were left out.` : '';
    sentences.push(`The answer may lack objects.${left}`);
  }
  if (receipt.secret) sentences.push(`Kept secret: ${receipt.secret}.`);
  if (receipt.history === 'new') sentences.push('No earlier position of yours was known.');
  return sentences.join(' ');
}
