// What stays on the phone: the token, the choices, and the last answer.

import type { Found, Receipt } from './me';

export interface LastAnswer {
  at: number;
  category: string;
  places: Found[];
  receipt: Receipt;
}

export interface Choices {
  category: string;
  k: number;
  dt: number;
}

function read<T>(name: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

const write = (name: string, value: unknown): void => localStorage.setItem(name, JSON.stringify(value));

export const token = (): string | null => read<string>('token');
export const keepToken = (value: string): void => write('token', value);
export const choices = (): Choices | null => read<Choices>('choices');
export const keepChoices = (value: Choices): void => write('choices', value);
export const lastAnswer = (): LastAnswer | null => read<LastAnswer>('answer');
export const keepAnswer = (value: LastAnswer): void => write('answer', value);
export const forgetAll = (): void => localStorage.clear();
