import type { IncomingHttpHeaders } from 'node:http';
import { headerText } from '../../http/write-answer.ts';
import type { Attribution } from '../../terms/caller.ts';

/**
 * The application that a request claims to come from: `X-Vendor-Title` if not empty, else `X-Title`, and `HTTP-Referer`
 * as its address. The text is bounded and reduced to ASCII, so that it is safe to store and to show. (rule I5)
 */
export function readAttribution(headers: IncomingHttpHeaders): Attribution {
  return {
    appTitle: textOf(headers['x-vendor-title']) ?? textOf(headers['x-title']),
    appUrl: textOf(headers['http-referer']),
  };
}

function textOf(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  const text = headerText((Array.isArray(value) ? (value[0] ?? '') : value).trim());
  return text === '' ? null : text;
}
