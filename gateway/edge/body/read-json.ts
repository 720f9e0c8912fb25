import type { ServerResponse } from 'node:http';
import { CallerLeft } from '../../terms/caller-left.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import type { RequestContext } from '../request-context.ts';
import { readBody } from './read-body.ts';
import type { RequestBody } from './request-body.ts';

/**
 * The JSON body of an authenticated caller's request, within the configured bounds. Rejects as `readBody` does, and
 * with `CallerLeft` if the connection has closed meanwhile.
 */
export async function readJson(
  { request, response, invite }: RequestContext,
  { services, bodies }: Pick<EdgeRoutes, 'services' | 'bodies'>,
): Promise<RequestBody> {
  const { limits, clock } = services;
  const reserve = (bytes: number): boolean => bodies.take(bytes, response);
  const isGone = (): boolean => response.destroyed;
  stillHere(response);
  const body = await readBody(request, { limits, clock, reserve, isGone, invite });
  stillHere(response);
  return body;
}

/** The close event has already fired if the client left during authentication or while a large body waited. */
function stillHere(response: ServerResponse): void {
  if (response.destroyed) throw new CallerLeft();
}
