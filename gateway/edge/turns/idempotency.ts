import type { Idempotency } from '../../../actors/terms/hold.ts';
import { idempotencyDigest } from '../../../actors/terms/ids.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { RequestContext } from '../request-context.ts';

/** 1 to 255 visible ASCII characters. */
const SHAPE = /^[\x21-\x7e]{1,255}$/;

/**
 * The `Idempotency-Key` of a request and its body, as digests under the pepper: neither can be read from the database,
 * nor a guess of one confirmed. The path belongs to the body, since the same bytes mean another request elsewhere.
 * Undefined without the header; throws the 400 for a malformed one. (rule K66, rule K67)
 */
export function readIdempotency(
  { request, bodyDigest }: Pick<RequestContext, 'request' | 'bodyDigest'>,
  pepper: Uint8Array,
): Idempotency | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !SHAPE.test(key)) {
    throw invalid('Idempotency-Key must have 1 to 255 visible ASCII characters');
  }
  if (bodyDigest === null) throw new Error('the body of a request with an Idempotency-Key was not digested');
  const [path = ''] = (request.url ?? '').split('?', 1);
  return {
    key: idempotencyDigest(pepper, 'key', key),
    body: idempotencyDigest(pepper, 'body', `${path} ${bodyDigest}`),
  };
}
