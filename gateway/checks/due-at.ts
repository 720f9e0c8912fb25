import { ownerHash } from '../../actors/runtime/index.ts';
import type { Check, CheckFinding } from '../../actors/terms/endpoint.ts';
import type { CheckLimits } from '../terms/check-limits.ts';

/** Share of an interval by which a check may run earlier. */
const JITTER = 0.25;
const HASHES = 65_536;

/**
 * When a check is due, in store time: an interval after its last try; first tries are spread over `firstWithinMs`. A
 * check without a verdict or with a failure repeats sooner, so that a parameter is not withheld longer than necessary.
 * The jitter is a hash of the names: every node computes the same moment, and endpoints are not checked in step.
 */
export function dueAt(
  endpoint: string,
  check: Check,
  times: {
    readonly finding: CheckFinding | undefined;
    /** The endpoint's tool fidelity is below the minimum. */
    readonly underFloor: boolean;
    /** When this node began its checks; the base for checks never tried. */
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
