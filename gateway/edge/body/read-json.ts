import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { TextPlaces } from '../../json/json-sinks.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import type { EdgeLimits } from '../../terms/config.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import type { RequestContext } from '../request-context.ts';
import { readBody } from './read-body.ts';
import type { RequestBody } from './request-body.ts';

/** What a route reads otherwise than an inference request. */
export interface OwnReading {
  readonly bounds?: Partial<Pick<EdgeLimits, 'bodyBytesMax' | 'bodyDepthMax' | 'bodyTokensMax'>>;
  /** Places of objects that stay text. */
  readonly texts?: TextPlaces;
}

/**
 * The JSON body of an authenticated caller's request, within the configured bounds. Rejects as `readBody` does, and
 * with `CallerLeft` if the connection has closed meanwhile. A request with an `Idempotency-Key` gets the digest of its body.
 */
export async function readJson(
  context: RequestContext,
  { services, bodies }: Pick<EdgeRoutes, 'services' | 'bodies'>,
  own: OwnReading = {},
): Promise<RequestBody> {
  const { request, response, invite } = context;
  const { clock } = services;
  const limits = own.bounds === undefined ? services.limits : { ...services.limits, ...own.bounds };
  const reserve = (bytes: number): boolean => bodies.take(bytes, response);
  const isGone = (): boolean => response.destroyed;
  stillHere(response);
  const digest = request.headers['idempotency-key'] === undefined ? null : createHash('sha256');
  const body = await readBody(request, { limits, clock, reserve, isGone, invite, digest, places: own.texts });
  stillHere(response);
  if (digest !== null) context.bodyDigest = digest.digest('hex');
  return body;
}

/** The close event has already fired if the client left during authentication or while a large body waited. */
function stillHere(response: ServerResponse): void {
  if (response.destroyed) throw new CallerLeft();
}
