import type { Refusal } from './refusal.ts';

/** How the message of every 401 begins. */
export const NO_VALID_KEY = 'Missing or invalid API key';

/**
 * The 401 of a key that is not accepted: equal for every reason that the key itself has (unknown, revoked, expired, of a
 * suspended owner), so that the response does not reveal whether the key exists (spec: inference, Authentication 4).
 */
export const UNAUTHENTICATED: Refusal = {
  status: 401,
  type: 'authentication',
  message: `${NO_VALID_KEY}: the key that was sent is not accepted`,
};
