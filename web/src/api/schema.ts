export interface components { schemas: {
  QueryRequest: { ticket: string; person: string; lon: number; lat: number; k: number; dt: number; dc?: number | null; speed?: number | null; interval?: number | null; question: { find: 'within' | 'nearest'; radius?: number | null; count?: number | null; along?: 'streets' | 'plane'; category?: string | null } };
  ResultBody: { ticket: string; outcome: 'answered' | 'expired' | 'cancelled' | 'failed'; answer?: components['schemas']['FoundBody'][] | null; receipt?: { guarantee: string; k: number; k_reached: number; streets: number; delay: number; exact: boolean; history?: string | null } | null; message?: string | null };
  RefusalBody: { ticket?: string | null; outcome: string; reason: string; message: string };
  FoundBody: { id: string; name: string; category: string; lon: number; lat: number; metres: number };
} }
