import { additionsOnce, alarmsOnce, pursesKeepTheirSum } from './actors.ts';
import { auditBatches } from './audit-batches.ts';
import { auditFiles } from './audit-files.ts';
import { auditKeys } from './audit-keys.ts';
import { auditVideos } from './audit-videos.ts';
import { balanceHolds, chainHolds, holdsAreCovered, holdsAreResolved, negativeOnlyByExcess } from './balances.ts';
import { billsAreWhole } from './bills.ts';
import {
  callsAreBounded,
  chargedOnce,
  chargedOncePerKey,
  chargesAreExact,
  chargesMatchAnswers,
  chargeWithinHold,
  holdComesFirst,
  refusedIsFree,
} from './charges.ts';
import type { Check } from './check.ts';
import { depositsOnce } from './deposits.ts';
import type { Evidence } from './evidence.ts';
import { type Joined, join } from './joined.ts';
import { leaversAreAccounted } from './leavers.ts';
import { keyLimitsHold, onlyTurnsHold, usageIsTheCharges } from './limits.ts';
import { transfersArriveOnce } from './messages.ts';
import { nothingLeavesEarly } from './outputs.ts';
import { nothingAcknowledgedIsLost, oneWriter, streamsAreWhole } from './ownership.ts';
import { paymentsCreditOnce } from './payments.ts';
import { conditionsAreRecorded, moneyIsExactText, undeclaredIsUnpriced } from './prices-recorded.ts';
import { readsNeverGoBack } from './reads.ts';
import { registersAreLinearizable } from './registers.ts';
import { holdsEndForCause } from './releases.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';
import {
  actorsKnowTheirAttempts,
  onlyCrashesCount,
  resultsAreOfTheirAttempt,
  workFollowsItsCommit,
  workIsDone,
} from './works.ts';
import { oneWriterPerEpoch, versionsFollow } from './writers.ts';

/** The result of an audit; the three counts are the summary of a run. */
export interface Verdict {
  readonly checks: readonly Check[];
  readonly clean: boolean;
  readonly lostAcknowledgements: number;
  readonly doubleCharges: number;
  readonly leakedHolds: number;
}

/** Checks for the evidence of every run. */
const ALWAYS: readonly ((joined: Joined) => Check)[] = [
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
  moneyIsExactText,
  undeclaredIsUnpriced,
  conditionsAreRecorded,
  leaversAreAccounted,
  depositsOnce,
  chainHolds,
  negativeOnlyByExcess,
  oneWriter,
  nothingAcknowledgedIsLost,
  streamsAreWhole,
];

const RUNTIME: readonly ((runtime: RuntimeEvidence) => Check)[] = [
  oneWriterPerEpoch,
  versionsFollow,
  nothingLeavesEarly,
  registersAreLinearizable,
  additionsOnce,
  alarmsOnce,
  pursesKeepTheirSum,
  transfersArriveOnce,
  billsAreWhole,
  workIsDone,
  resultsAreOfTheirAttempt,
  workFollowsItsCommit,
  onlyCrashesCount,
  actorsKnowTheirAttempts,
];

/** Checks every invariant against the evidence. Pure: the same evidence gives the same verdict. */
export function audit(evidence: Evidence): Verdict {
  const joined = join(evidence);
  const { keys, usages, reads, ended, runtime } = evidence;
  const checks = [
    ...ALWAYS.map((check) => check(joined)),
    ...(evidence.ledger.generations.some(({ row }) => row.idempotency) ? [chargedOncePerKey(joined)] : []),
    ...(keys === undefined ? [] : [keyLimitsHold(joined), onlyTurnsHold(joined)]),
    ...(usages === undefined ? [] : [usageIsTheCharges(joined)]),
    ...(reads === undefined ? [] : [readsNeverGoBack(joined)]),
    ...(ended === undefined ? [] : [holdsEndForCause(joined)]),
    ...(runtime === undefined ? [] : RUNTIME.map((check) => check(runtime))),
    ...(evidence.files === undefined ? [] : auditFiles(evidence.files)),
    ...(evidence.keyChanges === undefined ? [] : auditKeys(evidence.keyChanges, joined)),
    ...(evidence.payments === undefined ? [] : [paymentsCreditOnce(evidence.payments, joined)]),
    ...(evidence.videos === undefined ? [] : auditVideos(evidence.videos)),
    ...(evidence.batches === undefined ? [] : auditBatches(evidence.batches, joined)),
  ];
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
