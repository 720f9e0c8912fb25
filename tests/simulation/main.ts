/**
 * `npm run simulate -- --seeds N [--seed S] [--mutation NAME]`: runs N seeds starting at S (default 1). With a mutation, or
 * `all` of them, it searches for the first seed that catches each; unless S is given, the suite's seeds come first for the
 * mutations that the suite tries. Exits with code 1 if a seed failed, or if a run of at least `SITUATIONS_FROM` seeds missed
 * a listed situation or got too few replies.
 */
import { parseArgs } from 'node:util';
import { failureReport } from './failure-report.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';
import { SUITE_SEEDS } from './read-seeds.ts';
import { isGreen, run } from './run.ts';
import { Sightings } from './situations.ts';

const SITUATIONS_FROM = 50;
const FAILURES_MAX = 5;
const PROGRESS_EVERY = 100;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    mutation: { type: 'string' },
  },
});
const first = whole('seed', values.seed ?? '1');
const seeds = whole('seeds', values.seeds ?? (values.seed === undefined ? '50' : '1'));
process.exitCode = values.mutation === undefined ? await simulate() : await huntAll(mutationsOf(values.mutation));

async function simulate(): Promise<number> {
  const sightings = new Sightings();
  let failures = 0;
  for (let seed = first; seed < first + seeds && failures < FAILURES_MAX; seed++) {
    const outcome = await run(seed);
    sightings.add(outcome);
    if (!isGreen(outcome)) {
      failures += 1;
      print(failureReport(outcome));
    }
    if ((seed - first + 1) % PROGRESS_EVERY === 0) print(`${seed - first + 1} seeds, ${failures} failed\n`);
  }
  print(`${sightings.lines().join('\n')}\n`);
  const problems = seeds >= SITUATIONS_FROM ? sightings.problems : [];
  for (const problem of problems) print(`FAILED: ${problem}\n`);
  print(`${seeds} seeds from ${first}: ${failures} failed, ${problems.length} problems\n`);
  return failures + problems.length > 0 ? 1 : 0;
}

async function huntAll(mutations: readonly Mutation[]): Promise<number> {
  let escaped = 0;
  for (const mutation of mutations) if (!(await hunt(mutation, mutations.length === 1))) escaped += 1;
  return escaped > 0 ? 1 : 0;
}

/** Finds the first seed that catches a mutation. */
async function hunt(mutation: Mutation, verbose: boolean): Promise<boolean> {
  const further = Array.from({ length: seeds }, (_, at) => first + at);
  const tried = values.seed === undefined && !mutation.isLong ? [...SUITE_SEEDS, ...further] : further;
  for (const [at, seed] of tried.entries()) {
    const outcome = await run(seed, mutation);
    if (isGreen(outcome)) continue;
    if (verbose) print(failureReport(outcome));
    const by = outcome.verdict.checks.filter((check) => check.violations.length > 0).map((check) => check.id);
    const found = [...(outcome.stuck === null ? [] : ['liveness']), ...by].join(', ');
    print(`${mutation.name}: caught by seed ${seed}, ${at + 1} seeds tried (${found})\n`);
    return true;
  }
  print(`${mutation.name}: not caught within ${tried.length} seeds\n`);
  return false;
}

function mutationsOf(name: string): readonly Mutation[] {
  const found = MUTATIONS.filter((each) => name === 'all' || each.name === name);
  if (found.length > 0) return found;
  throw new Error(`--mutation: unknown mutation ${name}; known: ${MUTATIONS.map((each) => each.name).join(', ')}`);
}

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number, got "${text}"`);
  return Number(text);
}

function print(text: string): void {
  process.stdout.write(text);
}
