import type { Refusal } from './refusal.ts';

/**
 * The only 401 refusal: equal for every reason, so that the response does not reveal the reason (spec: inference,
 * Authentication 4).
 */
export const UNAUTHENTICATED: Refusal = {
  status: 401,
  type: 'authentication',
  message: 'Missing or invalid API key',
};
