/** Asks every actor of a kind. */
import type { Inspection } from '../../actors/runtime/index.ts';
import { askEach, isQuarantined, type Quarantined } from '../management/services.ts';

/** A node's own operator, or the client of one. */
export interface Inspector {
  inspect(address: string): Promise<Inspection | null>;
  actors(kind: string, limit: number): Promise<readonly string[]>;
}

/** Actors of one kind that a command looks at; the most that one call of the cluster lists. */
export const ACTORS_MAX = 10_000;
/** The answers of the actors of one kind, by address; at most `ACTORS_MAX`. */
export async function askAll<A>(
  { operator }: { readonly operator: Pick<Inspector, 'actors'> },
  kind: string,
  ask: (address: string) => Promise<A>,
): Promise<readonly (A | Quarantined)[]> {
  return askEach(await operator.actors(kind, ACTORS_MAX), ask);
}

/** Every actor of a kind; one that is quarantined has no context. */
export async function inspectAll(operator: Inspector, kind: string): Promise<readonly Inspection[]> {
  const all = await askAll({ operator }, kind, (address) => operator.inspect(address));
  return all.filter((one): one is Inspection => one !== null && !isQuarantined(one));
}
