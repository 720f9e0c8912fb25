import type { Mutation } from './mutation.ts';
import { chargedAgain } from './mutations/charged-again.ts';
import { earlyGate } from './mutations/early-gate.ts';
import { epochNotBumped } from './mutations/epoch-not-bumped.ts';
import { everyDeathCounts } from './mutations/every-death-counts.ts';
import { heardAgain } from './mutations/heard-again.ts';
import { heldForEver } from './mutations/held-for-ever.ts';
import { leaverLetOff } from './mutations/leaver-let-off.ts';
import { noFence } from './mutations/no-fence.ts';
import { noVersionCheck } from './mutations/no-version-check.ts';
import { olderRunReleases } from './mutations/older-run-releases.ts';
import { refusalAsReply } from './mutations/refusal-as-reply.ts';
import { refusalUndoesAll } from './mutations/refusal-undoes-all.ts';
import { ringsTwice } from './mutations/rings-twice.ts';
import { staleSettle } from './mutations/stale-settle.ts';
import { takeoverReleases } from './mutations/takeover-releases.ts';
import { unhandledDropped } from './mutations/unhandled-dropped.ts';

/** Deliberate bugs: each must be caught, or the auditor is blind to what it would do. */
export const MUTATIONS: readonly Mutation[] = [
  noFence,
  earlyGate,
  noVersionCheck,
  epochNotBumped,
  ringsTwice,
  heardAgain,
  heldForEver,
  takeoverReleases,
  staleSettle,
  chargedAgain,
  olderRunReleases,
  leaverLetOff,
  refusalUndoesAll,
  everyDeathCounts,
  refusalAsReply,
  unhandledDropped,
];
