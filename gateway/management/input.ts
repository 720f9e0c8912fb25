/** Reads the values that all fronts take: bodies by their schema, amounts and expiries. A refusal names the member. */
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { parseUsd } from '../../actors/terms/usd.ts';
import { validationError } from '../dialects/request/validation-error.ts';
import { shortestDecimal } from '../json/shortest-decimal.ts';
import { invalid } from '../terms/gateway-error.ts';
import { instantOf } from './instant-of.ts';

/** Checks a body. Throws GatewayError 400 naming the member. Compiled at its first use: a command needs one or none. */
export function checker<T extends TSchema>(schema: T) {
  let check: Validator | null = null;
  return (body: unknown): Static<T> => {
    check ??= Compile(schema);
    if (check.Check(body)) return body as Static<T>;
    throw invalid(validationError(schema, body));
  };
}

/** Exact decimal USD, 0 or more; null is none. */
export function amountOf(name: string, value: number | string | null): string | null {
  if (value === null) return null;
  const amount = parseUsd(typeof value === 'number' ? shortestDecimal(value) : value);
  if (amount === null) throw invalid(notAmount(name));
  return amount;
}

export function notAmount(name: string): string {
  return `${name} must be an amount in USD, 0 or more`;
}

/** ISO 8601 in UTC with seconds, in the future. (rule K16, rule K17) */
export function expiryOf(text: string | null, now: number): number | null {
  if (text === null) return null;
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|\+00:00)$/.test(text) ? instantOf(text) : null;
  if (at === null) throw invalid('expires_at must be a time in UTC, such as 2030-01-31T00:00:00Z');
  if (at <= now) throw invalid('expires_at must be in the future');
  return at;
}
