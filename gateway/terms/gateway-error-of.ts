import { AskError } from '../../actors/runtime/index.ts';
import { GatewayError } from './gateway-error.ts';
import { unanswered } from './refusal-error.ts';
import { unavailable } from './unavailable.ts';

/**
 * Whatever was thrown, as the failure the caller is told of. What the cluster could not do now is 503 and worth a
 * repeat; what nobody expected is 500 without a word of its cause, which stays in `detail` for the log.
 */
export function gatewayErrorOf(thrown: unknown): GatewayError {
  const known = thrown instanceof AskError ? unanswered(thrown) : thrown;
  if (known instanceof GatewayError) return known;
  if (known instanceof Error && STORE_ERRORS.has(known.name)) return unavailable(known.message);
  return new GatewayError({
    status: 500,
    type: 'server',
    message: 'Internal Server Error',
    detail: known instanceof Error ? (known.stack ?? known.message) : String(known),
  });
}

/** Named by text: the store's errors cross layers, and nothing outside the runtime imports its ports. */
const STORE_ERRORS: ReadonlySet<string> = new Set(['StoreRefused', 'StoreOutcomeUnknown']);
