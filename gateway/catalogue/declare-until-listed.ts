import { ENDPOINTS_TOPIC } from '../../actors/endpoint/endpoint.ts';
import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import { endpointId } from '../../actors/terms/ids.ts';
import { type DeclareParts, declare } from './declare.ts';

const DECLARE_AGAIN_MS = 500;
const LISTED_LOOK_MS = 20;
const LISTED_LOOKS_MAX = 100;

export interface DeclareUntilListedParts extends DeclareParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: { error(record: object, message: string): void; warn(record: object, message: string): void };
  /** The node leaves: nobody waits for its catalogue any more. */
  readonly givenUp: () => boolean;
}

/**
 * Declares the configured providers until every actor was reached, then waits (2 s at most) until their endpoints are on
 * this node's board. A document that is broken is logged and left as it was; it holds up nobody.
 */
export async function declareUntilListed(parts: DeclareUntilListedParts): Promise<void> {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void parts.clock.after(ms, resolve));
  while (!parts.givenUp() && !(await isDeclared(parts))) await pause(DECLARE_AGAIN_MS);
  for (let look = 0; look < LISTED_LOOKS_MAX && !isListed(parts); look++) await pause(LISTED_LOOK_MS);
}

/** False when an actor was not reached: then it is tried again. */
async function isDeclared(parts: DeclareUntilListedParts): Promise<boolean> {
  try {
    for (const problem of await declare(parts)) parts.log.error({ ...problem }, 'a provider could not be declared');
    return true;
  } catch (error) {
    parts.log.warn({ detail: String(error) }, 'the catalogue was not declared; trying again');
    return false;
  }
}

/** True once every endpoint whose document is at hand is on this node's board. */
function isListed({ cluster, providers }: DeclareUntilListedParts): boolean {
  const listed = cluster.board.topic(ENDPOINTS_TOPIC);
  return providers.every(
    ({ slug, models }) =>
      typeof models === 'string' || models.models.every(({ id }) => listed.has(endpointId(slug, id))),
  );
}
