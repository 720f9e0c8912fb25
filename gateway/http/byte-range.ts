import type { ByteRange } from '../../actors/runtime/index.ts';
import { GatewayError } from '../terms/gateway-error.ts';

/** The three forms of one range; no number of bytes has more digits. */
const ONE_RANGE = /^bytes=(\d{1,15})?-(\d{1,15})?$/;

/**
 * The one range that a `Range` header asks for: `bytes=first-last`, `bytes=first-` or `bytes=-count`. Null for any
 * other form, which is ignored: the whole is sent. Throws 416 for a range that begins past the end. (rule V31)
 */
export function byteRangeOf(header: string | undefined, bytes: number): ByteRange | null {
  const [found, first, last] = ONE_RANGE.exec(header ?? '') ?? [];
  if (found === undefined || (first === undefined && last === undefined)) return null;
  if (first === undefined) {
    const count = Number(last);
    if (count === 0) throw unsatisfiable(bytes);
    return { from: Math.max(0, bytes - count), to: bytes };
  }
  const from = Number(first);
  if (last !== undefined && Number(last) < from) return null;
  if (from >= bytes) throw unsatisfiable(bytes);
  return { from, to: last === undefined ? bytes : Math.min(bytes, Number(last) + 1) };
}

function unsatisfiable(bytes: number): GatewayError {
  return new GatewayError({
    status: 416,
    type: 'invalid_request',
    message: `Range does not lie within the ${bytes} bytes of the file`,
    headers: { 'content-range': `bytes */${bytes}` },
  });
}
