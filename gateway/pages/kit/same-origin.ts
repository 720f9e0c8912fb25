import type { IncomingHttpHeaders } from 'node:http';
import { isSameText } from '../../../actors/terms/one-time.ts';
import type { FormFields } from '../../edge/body/form-fields.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import type { Site } from './site.ts';

/** Name of the form field with the session's anti-forgery token. */
export const TOKEN_FIELD = 'token';

/**
 * Throws 403 for a form that another site sent. Browsers tell where a form comes from in `Sec-Fetch-Site`, and older
 * ones in `Origin`; under `no-referrer` that is `null` for our own pages too, so it counts only without the former.
 * What sends neither is no browser, and the token of its session decides. (rule K33)
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, { origin }: Site): void {
  const fetched = headers['sec-fetch-site'];
  const sent = headers.origin;
  const isForeign = sent !== undefined && sent !== origin && (sent !== 'null' || fetched === undefined);
  if (isForeign || (fetched !== undefined && fetched !== 'same-origin')) {
    throw forbidden('This form was sent by another site');
  }
}

/** Throws 403 for a form without the token of its session. */
export function requireToken(form: FormFields, token: string): void {
  if (!isSameText(form.get(TOKEN_FIELD) ?? '', token)) {
    throw forbidden('This form does not belong to this session; open the page again');
  }
}

/** True for a page that another site has opened: its request comes without strict cookies, also where there are some. */
export function isFromElsewhere(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === 'cross-site';
}

function forbidden(message: string): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_denied', message });
}
