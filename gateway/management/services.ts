import { AskError, type Cluster, type Random } from '../../actors/runtime/index.ts';
import type { Principal } from '../../actors/terms/principal.ts';
import type { ClusterConfig } from '../terms/config/config.ts';

/** What the functions of this folder need of the process that calls them: a node, or a command of `troupe`. */
export interface ManagementServices {
  /** A command has only `ask`, `rows` and `now` of it. */
  readonly cluster: Cluster;
  readonly random: Random;
  /** Secret mixed into the digest of every key. */
  readonly pepper: Uint8Array;
  /** Longest wait for an actor's answer, including a takeover, ms. */
  readonly askMs: number;
  readonly config: Pick<ClusterConfig, 'workspace' | 'rates' | 'signIn'>;
}

/** The account that is managed, and the principal under which its audit log records every change. */
export interface Tenant {
  /** Account id, without the kind. */
  readonly account: string;
  readonly by: Principal;
}

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
