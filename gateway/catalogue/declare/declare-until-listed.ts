import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { Clock, Cluster } from '../../../actors/runtime/index.ts';
import { type Declared, type DeclareParts, declare } from './declare.ts';

/** The message of a record with warnings. */
export const WARNED = 'a models document probably has mistakes';

const DECLARE_AGAIN_MS = 500;
const LISTED_LOOK_MS = 20;
/**
 * Longer than a takeover: the owner of an endpoint may die between its answer and its publication, and until its
 * successor has adopted it this node would answer 404 for its model.
 */
const LISTED_MS_MAX = 15_000;
const LISTED_LOOKS_MAX = LISTED_MS_MAX / LISTED_LOOK_MS;

export interface DeclareUntilListedParts extends DeclareParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: { error(record: object, message: string): void; warn(record: object, message: string): void };
  /** True once the node drains: the declaration stops, because the node serves no catalogue any more. */
  readonly givenUp: () => boolean;
}

/**
 * Declares the configured providers until every actor was reached, then waits (15 s at most) until their endpoints are
 * on this node's board. An invalid document is logged, keeps its previous declaration and delays no other provider; an
 * endpoint that cannot be loaded is logged and delays the node.
 */
export async function declareUntilListed(parts: DeclareUntilListedParts): Promise<void> {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => void parts.clock.after(ms, resolve));
  let declared = await declaredBy(parts);
  while (!declared && !parts.givenUp()) {
    await pause(DECLARE_AGAIN_MS);
    declared = await declaredBy(parts);
  }
  const endpoints = declared?.flatMap((each) => each.endpoints) ?? [];
  for (let look = 0; look < LISTED_LOOKS_MAX && !parts.givenUp(); look++) {
    if (unlisted(parts, endpoints).length === 0) return;
    await pause(LISTED_LOOK_MS);
  }
  const missing = unlisted(parts, endpoints);
  if (missing.length > 0 && !parts.givenUp()) {
    parts.log.error({ endpoints: missing }, 'declared endpoints were not published; the node serves without them');
  }
}

/** Null when an actor was not reached: the caller tries again. */
async function declaredBy(parts: DeclareUntilListedParts): Promise<readonly Declared[] | null> {
  try {
    const declared = await declare(parts);
    for (const { provider, problem, warnings } of declared) {
      if (warnings.length > 0) parts.log.warn({ provider, warnings }, WARNED);
      if (problem !== null)
        parts.log.error({ provider, problem }, 'a models document is invalid; the previous one stays in effect');
    }
    return declared;
  } catch (error) {
    parts.log.warn({ detail: String(error) }, 'the catalogue could not be declared; trying again');
    return null;
  }
}

/** The endpoints of the documents that are not on this node's board. */
function unlisted({ cluster }: DeclareUntilListedParts, endpoints: readonly string[]): readonly string[] {
  const listed = cluster.board.topic(ENDPOINTS_TOPIC);
  return endpoints.filter((id) => !listed.has(id));
}
