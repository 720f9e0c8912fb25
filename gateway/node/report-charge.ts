import type { ReportedRow } from '../../actors/runtime/index.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import type { Measures } from '../terms/measures.ts';

/**
 * Counts and logs a charge that came after the release of its hold or exceeded it. The node that owns the account calls
 * it after the commit of the charge, which is where turns, lines of batches and videos meet.
 */
export function reportCharge(
  { collection, body }: ReportedRow,
  measures: Pick<Measures, 'settled'>,
  warn: (record: { readonly message: string; readonly [key: string]: unknown }) => void,
): void {
  if (collection !== 'generation') return;
  const { generation, key, model, provider, late, overshoot, settlement } = body as unknown as Generation;
  measures.settled({ late, overshoot });
  const charge = { generation, key, model, provider, cost: settlement?.cost, late, overshoot };
  warn({ message: 'charged late or beyond its hold', ...charge });
}
