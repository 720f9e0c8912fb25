import { AskError } from '../../actors/runtime/index.ts';

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
