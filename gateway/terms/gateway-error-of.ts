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
  if (isFrameworkRefusal(known)) {
    return new GatewayError({ status: 400, type: 'invalid_request', message: 'The request could not be read' });
  }
  return new GatewayError({
    status: 500,
    type: 'server',
    message: 'Internal Server Error',
    detail: known instanceof Error ? (known.stack ?? known.message) : String(known),
  });
}

/** Named by text: the store's errors cross layers, and nothing outside the runtime imports its ports. */
const STORE_ERRORS: ReadonlySet<string> = new Set(['StoreRefused', 'StoreOutcomeUnknown']);

/** The HTTP framework says by a code of its own, and a status from 400 on, what it could not read. */
function isFrameworkRefusal(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('statusCode' in thrown)) return false;
  const framework = typeof thrown.code === 'string' && thrown.code.startsWith('FST_');
  const status = thrown.statusCode;
  return framework && typeof status === 'number' && status >= 400 && status < 500;
}
