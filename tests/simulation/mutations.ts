import type { Mutation } from './mutation.ts';
import { cancelCutsNothing } from './mutations/cancel-cuts-nothing.ts';
import { cancelledNotCharged } from './mutations/cancelled-not-charged.ts';
import { chargedReadmitted } from './mutations/charged-readmitted.ts';
import { claimIgnored } from './mutations/claim-ignored.ts';
import { epochNotBumped } from './mutations/epoch-not-bumped.ts';
import { everyDeathCrash } from './mutations/every-death-crash.ts';
import { holdNeverReleased } from './mutations/hold-never-released.ts';
import { messageSteppedTwice } from './mutations/message-stepped-twice.ts';
import { noFence } from './mutations/no-fence.ts';
import { noVersionCheck } from './mutations/no-version-check.ts';
import { BATCH_MUTATIONS } from './mutations/of-batches.ts';
import { FILE_MUTATIONS } from './mutations/of-files.ts';
import { VIDEO_MUTATIONS } from './mutations/of-videos.ts';
import { outcomeWithoutCharge } from './mutations/outcome-without-charge.ts';
import { outputBeforeCommit } from './mutations/output-before-commit.ts';
import { refusalAbortsAll } from './mutations/refusal-aborts-all.ts';
import { refusalAsReply } from './mutations/refusal-as-reply.ts';
import { staleReleaseAccepted } from './mutations/stale-release-accepted.ts';
import { staleSettleCharged } from './mutations/stale-settle-charged.ts';
import { takeoverReleases } from './mutations/takeover-releases.ts';
import { timerFiresTwice } from './mutations/timer-fires-twice.ts';
import { unhandledDropped } from './mutations/unhandled-dropped.ts';
import { unrecordedBeginning } from './mutations/unrecorded-beginning.ts';

/** Deliberate bugs. The auditor must catch each; one that passes shows a defect class that the auditor misses. */
export const MUTATIONS: readonly Mutation[] = [
  noFence,
  outputBeforeCommit,
  noVersionCheck,
  epochNotBumped,
  timerFiresTwice,
  messageSteppedTwice,
  holdNeverReleased,
  takeoverReleases,
  staleSettleCharged,
  chargedReadmitted,
  claimIgnored,
  staleReleaseAccepted,
  cancelledNotCharged,
  refusalAbortsAll,
  everyDeathCrash,
  refusalAsReply,
  unhandledDropped,
  unrecordedBeginning,
  outcomeWithoutCharge,
  cancelCutsNothing,
  ...BATCH_MUTATIONS,
  ...FILE_MUTATIONS,
  ...VIDEO_MUTATIONS,
];
