import type { Generation } from '../../../actors/terms/hold.ts';
import type { Joined } from './joined.ts';

const LOST = 'the gateway that served it was lost';
const OVERDUE = 'no outcome before its deadline';

/**
 * True for a hold that was released although part of an answer was delivered under it. A gateway that dies, wakes up
 * marked dead, or misses the hold's deadline and then dies charges nothing; the operator bears that loss (reliability,
 * decision 13). A live gateway settles late. Only some runs record which gateways died.
 */
export function isOurLoss({ evidence }: Joined, row: Generation | undefined): boolean {
  if (row?.status !== 'released') return false;
  const { reason } = row.release ?? {};
  return reason === LOST || (reason === OVERDUE && (evidence.ended?.has(row.gateway) ?? true));
}
