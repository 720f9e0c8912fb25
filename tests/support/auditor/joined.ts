import type { Generation } from '../../../actors/terms/hold.ts';
import type { CallSeen, Evidence, LedgerLine } from './evidence.ts';
import { type Operation, operations } from './history.ts';

/** The evidence with its three views joined by nonce and generation id, computed once for all checks. */
export interface Joined {
  readonly evidence: Evidence;
  readonly operations: readonly Operation[];
  readonly operationByNonce: ReadonlyMap<string, Operation>;
  readonly rowById: ReadonlyMap<string, Generation>;
  readonly rowByNonce: ReadonlyMap<string, Generation>;
  readonly accountOf: ReadonlyMap<string, string>;
  readonly chargesByGeneration: ReadonlyMap<string, readonly LedgerLine[]>;
  readonly callsByNonce: ReadonlyMap<string, readonly CallSeen[]>;
}

export function join(evidence: Evidence): Joined {
  const all = operations(evidence.history);
  const rows = evidence.ledger.generations;
  const charges = evidence.ledger.entries.filter((line) => line.type === 'charge');
  return {
    evidence,
    operations: all,
    operationByNonce: new Map(all.map((operation) => [operation.invoke.nonce, operation])),
    rowById: new Map(rows.map(({ row }) => [row.generation, row])),
    rowByNonce: new Map(
      rows.flatMap(({ row }) => (nonceOf(row) === null ? [] : [[nonceOf(row) as string, row] as const])),
    ),
    accountOf: new Map(rows.map(({ account, row }) => [row.generation, account])),
    chargesByGeneration: group(charges, (line) => line.generation ?? ''),
    callsByNonce: group(evidence.calls, (call) => call.id ?? ''),
  };
}

/** The nonce of a generation's request: its user, or its session in a dialect without users. */
export function nonceOf({ user, sessionId }: Generation): string | null {
  return user ?? sessionId;
}

function group<T>(items: readonly T[], by: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = by(item);
    const members = groups.get(name);
    if (members) members.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
