import { balanceHolds, chainHolds, holdsAreCovered, holdsAreResolved } from './balances.ts';
import {
  callsAreBounded,
  chargedOnce,
  chargesAreExact,
  chargesMatchAnswers,
  chargeWithinHold,
  holdComesFirst,
  refusedIsFree,
} from './charges.ts';
import type { Check } from './check.ts';
import type { Evidence } from './evidence.ts';
import { join } from './joined.ts';
import { nothingAcknowledgedIsLost, oneWriter, streamsAreWhole } from './ownership.ts';

/** What an audit found; the three counts are the ones a run is known by. */
export interface Verdict {
  readonly checks: readonly Check[];
  readonly clean: boolean;
  readonly lostAcknowledgements: number;
  readonly doubleCharges: number;
  readonly leakedHolds: number;
}

/** Holds every invariant against the evidence. Pure: the same evidence gives the same verdict. */
export function audit(evidence: Evidence): Verdict {
  const joined = join(evidence);
  const checks = [
    balanceHolds,
    holdsAreCovered,
    holdsAreResolved,
    chargedOnce,
    chargesMatchAnswers,
    chargesAreExact,
    holdComesFirst,
    chargeWithinHold,
    refusedIsFree,
    callsAreBounded,
    chainHolds,
    oneWriter,
    nothingAcknowledgedIsLost,
    streamsAreWhole,
  ].map((check) => check(joined));
  const lost = joined.operations.filter(
    ({ outcome }) =>
      outcome?.type === 'ok' && outcome.cost !== null && joined.rowById.get(outcome.generation)?.status !== 'settled',
  );
  return {
    checks,
    clean: checks.every((check) => check.violations.length === 0),
    lostAcknowledgements: lost.length,
    doubleCharges: [...joined.chargesByGeneration.values()].filter((lines) => lines.length > 1).length,
    leakedHolds: evidence.ledger.generations.filter(({ row }) => row.status === 'running').length,
  };
}
