import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ownerOf } from '../../../actors/runtime/index.ts';
import type { KeptTexts } from '../../json/json-sinks.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import type { EdgeLimits } from '../../terms/config.ts';
import type { EdgeRoutes } from '../edge-routes.ts';
import { type RequestContext, STRANGERS } from '../request-context.ts';
import { type ReadBodyOptions, readBody } from './read-body.ts';
import type { RequestBody } from './request-body.ts';

/** What a route reads otherwise than an inference request. */
export interface OwnReading {
  readonly bounds?: Partial<Pick<EdgeLimits, 'bodyBytesMax' | 'bodyDepthMax' | 'bodyTokensMax'>>;
  /** Objects that stay text. */
  readonly texts?: KeptTexts;
  /** The body is read in the background, in turn with the others of its account. */
  readonly isJob?: true;
}

type ReadingEdge = Pick<
  EdgeRoutes,
  'services' | 'bodies' | 'largeBodies' | 'largeJobBodies' | 'openUploads' | 'authentication' | 'clients'
>;

/**
 * The JSON body of an authenticated caller's request, within the configured bounds. Rejects as `readBody` does, and
 * with `CallerLeft` if the connection has closed meanwhile. A request with an `Idempotency-Key` gets the digest of its
 * body.
 */
export async function readJson(context: RequestContext, edge: ReadingEdge, own: OwnReading = {}): Promise<RequestBody> {
  const { request, response, invite, caller } = context;
  const { clock } = edge.services;
  const limits = own.bounds === undefined ? edge.services.limits : { ...edge.services.limits, ...own.bounds };
  const holder = caller?.account ?? STRANGERS;
  const reserve = edge.bodies.reservation(holder, response);
  const open = (isLarge: boolean): Promise<() => void> => openUpload(context, edge, isLarge);
  const isGone = (): boolean => response.destroyed;
  stillHere(response);
  const digest = request.headers['idempotency-key'] === undefined ? null : createHash('sha256');
  const { texts } = own;
  const body = await readBody(request, {
    limits,
    clock,
    reserve,
    open,
    isGone,
    invite,
    digest,
    texts,
    holder,
    ...(own.isJob === true ? jobReading(edge, caller) : { largeBodies: edge.largeBodies }),
  });
  stillHere(response);
  if (digest !== null) context.bodyDigest = digest.digest('hex');
  return body;
}

/** The body of a job rests while live requests come in. */
function jobReading(
  { services, largeJobBodies }: ReadingEdge,
  caller: RequestContext['caller'],
): Pick<ReadBodyOptions, 'largeBodies' | 'background'> {
  const background = services.files.background.of(caller === null ? STRANGERS : ownerOf(caller.key));
  return { largeBodies: largeJobBodies, background };
}

/**
 * Counts a large body when it begins: until it is whole it occupies the node, and it may never be. Resolves with the
 * function that ends the upload; rejects with the key's refusal.
 */
async function openUpload(
  context: RequestContext,
  { openUploads, authentication, clients }: Pick<EdgeRoutes, 'openUploads' | 'authentication' | 'clients'>,
  isLarge: boolean,
): Promise<() => void> {
  const { request, response, caller } = context;
  // It waits for its client.
  context.place?.leave();
  const ended = openUploads.open(caller?.key ?? STRANGERS, clients.of(request));
  try {
    const refusal = isLarge ? await authentication.count(context) : null;
    if (refusal !== null) throw refusal;
    stillHere(response);
    return ended;
  } catch (thrown) {
    ended();
    throw thrown;
  }
}

/** The close event has already fired if the client left during authentication or while a large body waited. */
function stillHere(response: ServerResponse): void {
  if (response.destroyed) throw new CallerLeft();
}
