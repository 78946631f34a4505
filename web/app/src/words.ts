// Distances, ages and receipts in words.

import type { Receipt } from './me';

export function distance(metres: number): string {
  return metres < 1000 ? `${Math.round(metres)} m` : `${(metres / 1000).toFixed(1)} km`;
}

export function seconds(count: number): string {
  return count === 1 ? '1 second' : `${count} seconds`;
}

/** A category as a title: `fast_food` is `Fast food`. */
export function title(category: string): string {
  const text = category.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function age(millis: number): string {
  const minutes = Math.floor(millis / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

export function receipt(receipt: Receipt): string {
  const delay = receipt.delay < 1 ? 'less than a second' : seconds(Math.round(receipt.delay));
  const secret = receipt.secret ? ` Kept secret: ${receipt.secret}.` : '';
  const rest = receipt.exact ? '' : ' The answer may lack places.';
  return (
    `You were hidden among at least ${receipt.k_reached} users, at least ${receipt.k_asking} of them asking.${secret} ` +
    `The service was asked about up to ${receipt.streets} streets, not about your position, ` +
    `${delay} after you asked.${rest}`
  );
}
