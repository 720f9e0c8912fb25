import { CallerLeft } from '../../terms/caller-left.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import type { EdgeRoutes } from '../edge-routes.ts';
import { type RequestContext, STRANGERS } from '../request-context.ts';
import { refuseCompressed } from './body-refusal.ts';
import { type FormFields, parseForm } from './form-fields.ts';
import { gatherUpload } from './upload.ts';

/** Bytes of one form: a key, a callback address and the fields beside them fit several times. */
const FORM_BYTES_MAX = 64 * 1024;
const TYPE = /^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/i;
/** A form has no structure that needs a bound of its own. */
const UNSCANNED = { feed: () => true, exceeded: { bound: 'depth', most: 0 } } as const;

/**
 * The fields of a request's form, as a browser sends one. Rejects with GatewayError 400, 408, 413 or 415, and with
 * `CallerLeft` if the client leaves during the upload. A repeated field is refused: two readers of a form could
 * otherwise take two values for it.
 */
export async function readForm(
  { request, response, invite, caller }: RequestContext,
  { services, openUploads, clients }: Pick<EdgeRoutes, 'services' | 'openUploads' | 'clients'>,
): Promise<FormFields> {
  refuseCompressed(request.headers);
  if (!TYPE.test((request.headers['content-type'] ?? '').trim().slice(0, 128))) {
    const message = 'The content type must be application/x-www-form-urlencoded, in UTF-8';
    throw new GatewayError({ status: 415, type: 'invalid_request', message });
  }
  // The close event has already fired if the client left during authentication.
  if (response.destroyed) throw new CallerLeft();
  const ended = openUploads.open(caller?.key ?? STRANGERS, clients.of(request));
  const { clock, limits: edge } = services;
  const limits = { ...edge, bodyBytesMax: FORM_BYTES_MAX };
  invite?.();
  const uploaded = await gatherUpload(request, { limits, clock, scan: UNSCANNED, reserve: () => true }).finally(ended);
  return parseForm(Buffer.concat(uploaded.chunks).toString('utf8'));
}
