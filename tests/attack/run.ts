import type { LoadResult } from '../bench/load.ts';
import { ATTACKS } from './attacks.ts';
import { judgedDelay, judgedOverload, keptOf, ms, percent } from './judge.ts';
import { shownShares } from './machine.ts';
import { MORE_ATTACKS } from './more-attacks.ts';
import { type Bare, type Seen, Site } from './site.ts';

interface AttackSettings {
  /** Of the whole run, divided over the attacks. */
  readonly seconds: number;
  /** Parts of the names of attacks; empty: all. */
  readonly only: readonly string[];
  readonly strength: number;
  readonly tell: (line: string) => void;
}

interface Outcome {
  readonly name: string;
  readonly held: boolean;
  readonly detail: string;
}

/** Code that was never run is a third as fast. Of the seconds of an attack. */
const WARM_UP = { inFlight: 64, part: 0.25 };
/** The peak is the best of these loads. */
const OVERLOAD = { factor: 10, peakInFlight: [64, 256], inFlight: 2_048 };
const OVERLOADED = { name: 'overload' };

/** Runs every attack against a cluster of processes with load of another tenant beside it. */
export async function runAttacks({ seconds, only, strength, tell }: AttackSettings): Promise<readonly Outcome[]> {
  const chosen = (name: string): boolean => only.length === 0 || only.some((part) => name.includes(part));
  const attacks = [...ATTACKS, ...MORE_ATTACKS].filter(({ name }) => chosen(name));
  const withOverload = chosen(OVERLOADED.name);
  const share = seconds / (attacks.length + (withOverload ? 2 : 1));
  const site = await Site.open(strength);
  const outcomes: Outcome[] = [];
  const add = (outcome: Outcome): void => {
    outcomes.push(outcome);
    tell(`${outcome.held ? 'held  ' : 'FAILED'}  ${outcome.name}: ${outcome.detail}`);
  };
  tell('the attacker runs at a lower priority: it stands for other machines');
  try {
    await site.load(warmUpOf(share));
    const quiet = await site.beside(share, async () => null);
    tell(`quiet: ${shown(quiet)}`);
    for (const attack of attacks) {
      const began = performance.now();
      const goesOn = (): boolean => performance.now() - began < share * 1_000;
      const seen = await site.beside(share, () => attack.run(site.target(goesOn)));
      add(outcomeOf(attack, [seen.found, ...judgedDelay(seen, quiet)], seen));
    }
    if (withOverload) add(await overload(site, share, strength, quiet));
    return outcomes;
  } finally {
    await site.close();
  }
}

/** Ten times the load at which the cluster serves most, as an open loop. */
async function overload(site: Site, share: number, strength: number, quiet: Seen): Promise<Outcome> {
  const peaks = OVERLOAD.peakInFlight.map((inFlight) => ({ inFlight, seconds: share / 8 }));
  const peak = await site.peak(peaks);
  const perSecond = perSecondOf(peak) * OVERLOAD.factor * strength;
  const load = { inFlight: OVERLOAD.inFlight, seconds: share / 2, perSecond };
  const seen = await site.beside(load.seconds, () => site.load(load));
  const offered = seen.found;
  const bare = await site.bare(warmUpOf(share), peaks, load);
  const faults = [...judgedOverload({ peak, offered, bare }), ...judgedDelay(seen, quiet, bare.tenant)];
  const figures = [
    `asked for ${perSecond.toFixed(0)}/s: ${shownOverload({ peak, offered })}`,
    `inside the nodes p99 ${ms(seen.refusals.p99Ms)} of ${seen.refusals.total}`,
    `a bare proxy: ${shownOverload(bare)}, the tenant p50 ${ms(bare.tenant.servedMs.p50)} p99 ${ms(bare.tenant.servedMs.p99)}`,
    `the generator was late by p99 ${ms(offered.lateMs.p99)}`,
  ];
  return outcomeOf(OVERLOADED, faults, seen, figures);
}

function warmUpOf(share: number): { readonly inFlight: number; readonly seconds: number } {
  return { inFlight: WARM_UP.inFlight, seconds: share * WARM_UP.part };
}

function shownOverload({ peak, offered }: Pick<Bare, 'peak' | 'offered'>): string {
  const [best, sent] = [perSecondOf(peak), perSecondSent(offered)];
  const times = (sent / best).toFixed(1);
  const { p50, p99 } = offered.refusedMs;
  return `sent ${sent.toFixed(0)}/s (${times} times the peak), served ${perSecondOf(offered).toFixed(0)}/s (${percent(keptOf({ peak, offered }))} of ${best.toFixed(0)}/s), refused p50 ${ms(p50)} p99 ${ms(p99)}`;
}

function outcomeOf(
  { name }: Pick<Outcome, 'name'>,
  found: readonly (string | null)[],
  seen: Seen,
  figures: readonly string[] = [],
): Outcome {
  const faults = found.filter((each): each is string => each !== null);
  return { name, held: faults.length === 0, detail: [...faults, shown(seen), ...figures].join('; ') };
}

function shown({ tenant, chain, cpu }: Seen): string {
  const { answered, servedMs } = tenant;
  const own = `tenant ${answered} answered, p50 ${ms(servedMs.p50)}, p99 ${ms(servedMs.p99)}`;
  return `${own}; chain of processes p50 ${ms(chain.servedMs.p50)}, p99 ${ms(chain.servedMs.p99)}; ${shownShares(cpu)}`;
}

function perSecondOf({ answered, seconds }: LoadResult): number {
  return answered / seconds;
}

function perSecondSent({ answered, failures, seconds }: LoadResult): number {
  return (answered + countOf(failures)) / seconds;
}

function countOf(failures: Readonly<Record<string, number>>): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}
