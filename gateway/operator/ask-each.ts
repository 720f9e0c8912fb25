/** Asks many actors, a few at a time. */
import { AskError, type Inspection } from '../../actors/runtime/index.ts';

/** A node's own operator, or the client of one. */
export interface Inspector {
  inspect(address: string): Promise<Inspection | null>;
  actors(kind: string, limit: number): Promise<readonly string[]>;
}

/** Actors of one kind that a command looks at; the most that one call of the cluster lists. */
export const ACTORS_MAX = 10_000;
/** Actors that are asked at a time. */
const ASKS_MAX = 16;

/** An actor whose stored state does not load: a list shows its row all the same. */
export interface Quarantined {
  readonly address: string;
  readonly fault: string;
}

export function isQuarantined(answer: unknown): answer is Quarantined {
  return typeof answer === 'object' && answer !== null && 'fault' in answer;
}

/** The answers of all actors, in their order; a few are asked at a time. Rejects with the first other failure. */
export async function askEach<A>(
  addresses: readonly string[],
  ask: (address: string) => Promise<A>,
): Promise<readonly (A | Quarantined)[]> {
  const answers: (A | Quarantined)[] = [];
  for (let at = 0; at < addresses.length; at += ASKS_MAX) {
    const some = addresses.slice(at, at + ASKS_MAX);
    answers.push(...(await Promise.all(some.map((address) => ask(address).catch(quarantinedOf)))));
  }
  return answers;
}

function quarantinedOf(error: unknown): Quarantined {
  if (!(error instanceof AskError) || error.failure.code !== 'quarantined') throw error;
  return { address: error.address, fault: error.failure.detail };
}

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
