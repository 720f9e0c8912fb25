import type { Generation } from '../../../actors/terms/hold.ts';
import type { Joined } from './joined.ts';

const LOST = 'the gateway that served it was lost';
const OVERDUE = 'no outcome before its deadline';

/**
 * True for a hold that was let go although something was delivered under it: a gateway that dies, wakes up dead, or cannot
 * settle before the hold's deadline and then dies charges nothing, and that is our loss (reliability, decision 13). One
 * that lives settles late. Who died is known in some runs only.
 */
export function isOurLoss({ evidence }: Joined, row: Generation | undefined): boolean {
  if (row?.status !== 'released') return false;
  const { reason } = row.release ?? {};
  return reason === LOST || (reason === OVERDUE && (evidence.ended?.has(row.gateway) ?? true));
}
