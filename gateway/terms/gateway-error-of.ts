import { AskError } from '../../actors/runtime/index.ts';
import { GatewayError } from './gateway-error.ts';
import { unanswered } from './refusal-error.ts';
import { unavailable } from './unavailable.ts';

/**
 * Converts any thrown value into the failure for the client. A failure of the cluster that a repeat may solve is 503;
 * an unexpected error is 500 without its cause, which stays in `detail` for the log.
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

/** Matched by name: the store's errors cross layers, and only the runtime may import its ports. */
const STORE_ERRORS: ReadonlySet<string> = new Set(['StoreRefused', 'StoreOutcomeUnknown']);
