import { judgeCallbackUrl } from '../../outbound/callback-url.ts';
import type { TargetRules } from '../../terms/config.ts';
import { invalid } from '../../terms/invalid.ts';

/** The `callback_url` of a submission, as it was written; null without one. Throws GatewayError 400. */
export function readCallbackUrl(value: unknown, rules: TargetRules): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalid('callback_url must be a string');
  const verdict = judgeCallbackUrl(value, rules);
  if (typeof verdict === 'string') throw invalid(`callback_url ${verdict}`);
  return value;
}
