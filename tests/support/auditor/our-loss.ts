import type { Generation } from '../../../actors/terms/hold.ts';
import type { Joined } from './joined.ts';

const LOST = 'the gateway that served it was lost';
const OVERDUE = 'no outcome before its deadline';

/** A repeat under the same idempotency key was admitted after the release: a late charge is refused then. */
function isRepeated({ ledger }: Joined['evidence'], { generation, idempotency }: Generation): boolean {
  if (idempotency === undefined) return false;
  const repeats = ledger.generations.filter(({ row }) => row.idempotency?.key === idempotency.key);
  return repeats.some(({ row }) => row.generation !== generation);
}

/**
 * True for a hold that was released although part of an answer was delivered under it. A gateway that dies, wakes up
 * marked dead, or misses the hold's deadline and then dies charges nothing; the operator bears that loss (rule K72). A
 * live gateway settles late. Only some runs record which gateways died.
 */
export function isOurLoss({ evidence }: Joined, row: Generation | undefined): boolean {
  if (row?.status !== 'released') return false;
  if (isRepeated(evidence, row)) return true;
  const { reason } = row.release ?? {};
  return reason === LOST || (reason === OVERDUE && (evidence.ended?.has(row.gateway ?? '') ?? true));
}
