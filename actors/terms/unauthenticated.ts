import type { Refusal } from './refusal.ts';

/** The one 401: the same for every reason, so that nobody learns which (spec: inference, Authentication 4). */
export const UNAUTHENTICATED: Refusal = {
  status: 401,
  type: 'authentication',
  message: 'Missing or invalid API key',
};
