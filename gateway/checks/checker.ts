import { LRUCache } from 'lru-cache';
import { endpointsOn, observeCheck } from '../../actors/endpoint/endpoint.ts';
import { configurationOf } from '../../actors/endpoint/evidence.ts';
import { type Cancel, type Clock, type Cluster, ownerHash } from '../../actors/runtime/index.ts';
import type { Check, CheckFinding, Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Target } from '../providers/call/target.ts';
import type { CheckLimits } from '../terms/config/check-limits.ts';
import type { UpstreamLimits } from '../terms/config/config.ts';
import { PROBE_VERSION } from './probe.ts';
import { checksFor, probeFor } from './probes-for.ts';
import { runProbe } from './run-probe.ts';

/** Tries kept until the board shows them; beyond this the oldest are dropped and may run once too often. */
const TRIED_MAX = 10_000;

export interface CheckerParts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly limits: CheckLimits;
  readonly upstream: Pick<UpstreamLimits, 'lineBytesMax' | 'bodyBytesMax'>;
  readonly targetOf: (endpoint: Endpoint) => Target;
  readonly log: (record: { readonly message: string; readonly [member: string]: unknown }) => void;
}

interface DueCheck {
  readonly endpoint: Endpoint;
  readonly check: Check;
  readonly at: number;
  /** Store time of the latest try on the board; 0 for none. */
  readonly shownAt: number;
}

/**
 * Sends small test requests to the endpoints whose actors live on this node, checks that they do what they declare, and
 * reports the verdicts to those actors. One check at a time per provider and at most one new one per look. Checks
 * belong to no account, hold or generation, and do not count in health. (rule C40, rule C41)
 */
export class Checker {
  readonly #parts: CheckerParts;
  /** Slugs of the providers with a running check, and the function that aborts it. */
  readonly #running = new Map<string, () => void>();
  readonly #tried = new LRUCache<string, number>({ max: TRIED_MAX });
  readonly #schedules = new WeakMap<Endpoint, readonly DueCheck[]>();
  #since: number | null = null;
  #timer: Cancel | null = null;
  #stopped = false;

  constructor(parts: CheckerParts) {
    this.#parts = parts;
  }

  start(): void {
    if (!this.#parts.limits.enabled || this.#stopped) return;
    this.#timer = this.#parts.clock.after(this.#parts.limits.lookEveryMs, () => {
      this.look().catch((error: unknown) =>
        this.#parts.log({ message: 'the search for due checks failed', detail: String(error) }),
      );
      this.start();
    });
  }

  /** Aborts the running checks; their results are dropped. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.();
    for (const abort of this.#running.values()) abort();
  }

  /** Starts the checks that are due, at most one per provider. Resolves when their results are sent. */
  async look(): Promise<void> {
    this.#since ??= this.#parts.cluster.now();
    await Promise.all([...this.#due().values()].map((due) => this.#check(due)));
  }

  /** The most overdue check of each provider without a running check. */
  #due(): Map<string, DueCheck> {
    const { cluster } = this.#parts;
    const now = cluster.now();
    const dueBySlug = new Map<string, DueCheck>();
    for (const value of endpointsOn(cluster.board).values()) {
      const endpoint = value as unknown as Endpoint;
      const schedule = this.#scheduleOf(endpoint);
      if (schedule[0] === undefined || schedule[0].at > now || !this.#mayCheck(endpoint)) continue;
      const { slug } = endpoint.provider;
      for (const planned of schedule) {
        if (planned.at > now) break;
        const at = this.#retryAt(planned) ?? planned.at;
        if (at <= now && at < (dueBySlug.get(slug)?.at ?? Number.POSITIVE_INFINITY)) dueBySlug.set(slug, planned);
      }
    }
    return dueBySlug;
  }

  /** Skips endpoints that are down: they receive no traffic, and their time-outs would delay other checks. */
  #mayCheck({ id, health, provider }: Endpoint): boolean {
    return health !== 'down' && !this.#running.has(provider.slug) && this.#parts.cluster.owns(endpointAddress(id));
  }

  /** Cached per endpoint, because every look reads all schedules: without it a thousand endpoints cost 18 ms a look. */
  #scheduleOf(endpoint: Endpoint): readonly DueCheck[] {
    const known = this.#schedules.get(endpoint);
    if (known) return known;
    const { evidence, id } = endpoint;
    // Tools can also be withheld for low tool fidelity, independently of their check.
    const underFloor = evidence.withheld.includes('tools');
    const times = { underFloor, since: this.#since ?? 0, limits: this.#parts.limits };
    const schedule = checksFor(endpoint).map((check) => {
      const finding = evidence.checks?.find((one) => one.check === check);
      return { endpoint, check, at: dueAt(id, check, { ...times, finding }), shownAt: finding?.triedAt ?? 0 };
    });
    schedule.sort((a, b) => a.at - b.at);
    this.#schedules.set(endpoint, schedule);
    return schedule;
  }

  /** When to repeat a check whose last try is not on the board yet; null if the board shows it. */
  #retryAt({ endpoint, check, shownAt }: DueCheck): number | null {
    const name = `${endpoint.id} ${check}`;
    const triedAt = this.#tried.peek(name);
    if (triedAt === undefined) return null;
    if (shownAt < triedAt) return triedAt + this.#parts.limits.againMs;
    this.#tried.delete(name);
    return null;
  }

  async #check({ endpoint, check }: DueCheck): Promise<void> {
    const { clock, cluster, outbound, limits, upstream, targetOf, log } = this.#parts;
    const { slug } = endpoint.provider;
    let abort = (): void => {};
    this.#running.set(slug, () => abort());
    this.#tried.set(`${endpoint.id} ${check}`, cluster.now());
    const begun = (way: () => void): void => {
      abort = way;
      if (this.#stopped) way();
    };
    try {
      const site = { clock, outbound, targetOf, limits, ...upstream, begun };
      const seen = await runProbe(site, endpoint, probeFor(endpoint, check));
      if (seen === null || this.#stopped) return;
      if (seen.verdict === 'failed')
        log({ message: 'a check failed', endpoint: endpoint.id, check, detail: seen.detail });
      observeCheck(cluster, endpoint.id, {
        check,
        ...seen,
        configuration: configurationOf(endpoint),
        version: PROBE_VERSION,
      });
    } finally {
      this.#running.delete(slug);
    }
  }
}

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
