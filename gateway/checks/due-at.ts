import { ownerHash } from '../../actors/runtime/index.ts';
import type { Check, CheckFinding } from '../../actors/terms/endpoint.ts';
import type { CheckLimits } from '../terms/config.ts';

/** Part of an interval by which a check may come earlier. */
const JITTER = 0.25;
const HASHES = 65_536;

/**
 * When a check is due, in store time: some while after its last try, at once spread over `firstWithinMs` where there was
 * none. What has no verdict or a bad one is tried again soon, so that nothing is withheld longer than it must be. The
 * jitter is worked out from the names, so every node finds the same moment and endpoints never march in step.
 */
export function dueAt(
  endpoint: string,
  check: Check,
  times: {
    readonly finding: CheckFinding | undefined;
    /** The endpoint stands under the floor of tool fidelity. */
    readonly underFloor: boolean;
    /** When this node began to look; for checks never tried. */
    readonly since: number;
    readonly limits: CheckLimits;
  },
): number {
  const { finding, underFloor, since, limits } = times;
  const chance = ownerHash(`${endpoint} ${check} ${finding?.triedAt ?? 0}`) / HASHES;
  if (finding === undefined) return since + chance * limits.firstWithinMs;
  const well = finding.verdict === 'passed' && !(underFloor && check === 'tools');
  return finding.triedAt + (1 - JITTER * chance) * (well ? limits.everyMs : limits.againMs);
}
