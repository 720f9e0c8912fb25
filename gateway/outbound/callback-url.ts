import { isIP } from 'node:net';
import type { TargetRules } from '../terms/config/config.ts';
import { isInRanges, isPublicAddress } from './public-address.ts';

/** Bytes of a callback URL. (rule E43) */
const CALLBACK_URL_BYTES_MAX = 2_048;
/** Ports below this belong to other protocols, such as mail; 443 is the exception. */
const PORT_MIN = 1_024;

/** A URL that a customer named, judged by its text. Its name is resolved and judged again for every connection. */
export interface CallbackTarget {
  readonly url: URL;
  /** True for an origin that the operator allows: its addresses need not be public. */
  readonly isAllowed: boolean;
}

/**
 * Judges a callback URL by its text alone: HTTPS, no user name, port 443 or 1024 and above, at most 2 KiB, and a host
 * that is a public name or address in its usual form. Returns the reason as text when the URL is refused; the text
 * follows the member's name. The one judgement for submissions and deliveries. (rule E43)
 */
export function judgeCallbackUrl(text: string, rules: TargetRules): CallbackTarget | string {
  if (Buffer.byteLength(text) > CALLBACK_URL_BYTES_MAX) return `may have at most ${CALLBACK_URL_BYTES_MAX} bytes`;
  // The parser would repair these silently: white space, backslashes, full-width letters.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return 'must be a URL of printable ASCII characters';
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.hash !== '') return 'must not contain a fragment';
  if (rules.allowedTargets.includes(url.origin)) return { url, isAllowed: true };
  if (url.protocol !== 'https:') return 'must be an HTTPS URL';
  const port = url.port === '' ? 443 : Number(url.port);
  if (port !== 443 && port < PORT_MIN) return `must use port 443 or one from ${PORT_MIN} on`;
  return hostRefusal(text, url, rules) ?? { url, isAllowed: false };
}

/** True if a connection for a URL of a customer may be made to this address. */
export function isCallable(address: string, { allowedTargets, refusedHosts }: TargetRules): boolean {
  if (isInRanges(address, refusedHosts.filter(isRange))) return false;
  return isPublicAddress(address) || isInRanges(address, allowedTargets.filter(isRange));
}

function hostRefusal(text: string, url: URL, rules: TargetRules): string | null {
  const { hostname } = url;
  const written = /^https:\/\/(\[[^\]]*\]|[^/?:]*)/i.exec(text)?.[1]?.toLowerCase();
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (isIP(address) !== 0) {
    if (written !== hostname) return 'must name its host in the usual form';
    return isCallable(address, rules) ? null : 'must name a public host';
  }
  if (written !== hostname || hostname.endsWith('.')) return 'must name its host in the usual form';
  if (!hostname.includes('.') || hostname.endsWith('.localhost')) return 'must name a public host';
  return rules.refusedHosts.includes(hostname) ? 'must not name this service' : null;
}

/** True for an entry that is a range of addresses (CIDR), and neither an origin nor a host name. */
function isRange(entry: string): boolean {
  return entry.includes('/') && !entry.includes('://');
}
