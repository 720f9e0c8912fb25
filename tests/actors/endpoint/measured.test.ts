/**
 * Every measured figure against an oracle that recomputes it from the raw log of attempts. `TROUPE_RUNS` raises the
 * number of runs, `TROUPE_ATTEMPTS` the length of the long one.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointKind } from '../../../actors/endpoint/endpoint.ts';
import { declare, emptyRecord, observe, publishedEndpoint, refresh } from '../../../actors/endpoint/record.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { bounded } from '../../support/bounded.ts';
import { DECLARATION } from '../../support/model/endpoints.ts';
import type { Logged } from '../../support/model/measured-oracle.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import { sameAsOracle } from '../../support/model/same-as-oracle.ts';

const it = bounded(test, 600_000);
const ADDRESS = 'endpoint:ep_1';
const START = 1_763_690_400_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const RUNS = Number(process.env.TROUPE_RUNS ?? 150);
const ATTEMPTS = Number(process.env.TROUPE_ATTEMPTS ?? 20_000);

/** What one node reports in one message: some attempts alike, each a little slower than the one before. */
interface Report {
  readonly afterMs: number;
  readonly lateMs: number;
  readonly times: number;
  readonly attempt: Omit<Logged, 'at'>;
}

const attempt: fc.Arbitrary<Omit<Logged, 'at'>> = fc
  .record({
    outcome: fc.constantFrom('success', 'success', 'success', 'error', 'other'),
    streamed: fc.boolean(),
    ttftMs: fc.option(fc.integer({ min: 40, max: 4_000 }), { nil: undefined }),
    durationMs: fc.option(fc.integer({ min: 100, max: 9_000 }), { nil: undefined }),
    completionTokens: fc.option(fc.constantFrom(15, 16, 100, 400), { nil: undefined }),
    toolAsk: fc.constantFrom('kept', 'broken', undefined, undefined),
    runaway: fc.constantFrom(true, false, undefined),
    renderPixels: fc.constantFrom(undefined, undefined, 262_144, 1_048_576, 4_194_304),
  })
  .map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as never);

const report: fc.Arbitrary<Report> = fc.record({
  afterMs: fc.oneof(
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: 0, max: 20 * MINUTE }),
    fc.integer({ min: 0, max: 2 * DAY }),
  ),
  lateMs: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 3 * MINUTE }), fc.constant(DAY)),
  times: fc.integer({ min: 1, max: 40 }),
  attempt,
});

let accounts = 0;
function attemptsOf({ lateMs, times, attempt }: Report, now: number): readonly Logged[] {
  return Array.from({ length: times }, (_, nth) => {
    const { ttftMs, durationMs } = attempt;
    const slower = {
      ...(ttftMs === undefined ? {} : { ttftMs: ttftMs + nth }),
      ...(durationMs === undefined ? {} : { durationMs: durationMs + 3 * nth }),
    };
    // Each attempt of an account of its own: how many count of one account is another test's matter.
    return { ...attempt, ...slower, by: `a${++accounts}`, at: now - Math.floor((lateMs * nth) / times) };
  });
}

function declared(): PureActors {
  const actors = new PureActors([endpointKind], START);
  actors.tell(ADDRESS, { type: 'endpoint.declare', declaration: DECLARATION, digest: 'one' } as never);
  return actors;
}

/** The endpoint as it publishes itself when a node adopts it. */
function published(actors: PureActors): Endpoint {
  return actors.tell(ADDRESS, { type: 'actor.activated' }).published.at(-1)?.value as unknown as Endpoint;
}

it('every figure is that of the raw log, in whatever order nodes report, at any later time (rule C30, rule C34)', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 30 }), fc.integer({ min: 0, max: 2 * DAY }), (reports, laterMs) => {
      const actors = declared();
      const log: Logged[] = [];
      for (const one of reports) {
        actors.now += one.afterMs;
        const attempts = attemptsOf(one, actors.now);
        log.push(...attempts);
        actors.tell(ADDRESS, { type: 'attempts.observed', attempts } as never);
      }
      sameAsOracle(published(actors), log, actors.now);
      actors.now += laterMs;
      sameAsOracle(published(actors), log, actors.now);
    }),
    { numRuns: RUNS },
  );
});

it(`the state stays flat over ${ATTEMPTS} attempts, and its figures exact`, () => {
  let now = START;
  let state = declare(emptyRecord(ADDRESS), DECLARATION, 'one');
  const log: Logged[] = [];
  let seed = 7;
  const chance = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const sizes: number[] = [];
  const batch = 64;
  // Three days of traffic: every window is full from the middle on.
  const everyMs = Math.ceil((3 * DAY) / (ATTEMPTS / batch));
  for (let sent = 0; sent < ATTEMPTS; sent += batch) {
    now += everyMs;
    const attempts = Array.from({ length: batch }, (): Logged => {
      const durationMs = 300 + chance(900) * chance(40);
      return {
        ...{ outcome: chance(50) === 0 ? 'error' : 'success', streamed: chance(3) > 0, by: `a${++accounts}` },
        ...{ ttftMs: 50 + chance(400), durationMs, completionTokens: chance(600) },
        ...(chance(4) === 0 ? { runaway: chance(20) === 0 } : {}),
        ...(chance(9) === 0 ? { toolAsk: chance(30) === 0 ? 'broken' : 'kept' } : {}),
        ...(chance(9) === 0 ? { renderPixels: 262_144 * (1 + chance(4)) } : {}),
        at: now - chance(everyMs),
      };
    });
    state = observe(state, attempts, now);
    log.push(...attempts);
    if (sent % (8 * batch) === 0) sizes.push(Buffer.byteLength(JSON.stringify(state)));
  }
  const half = sizes.length / 2;
  const [before, after] = [Math.max(...sizes.slice(half / 2, half)), Math.max(...sizes.slice(half))] as const;
  assert.ok(after < 1.15 * before, `${before} bytes in the second quarter, ${after} in the second half`);
  assert.ok(after < 300_000, `${after} bytes`);
  if (process.env.TROUPE_ATTEMPTS) process.stdout.write(`${before} bytes, then ${after} `);
  sameAsOracle(publishedEndpoint(refresh(state, now)) as Endpoint, log, now);
});

test.run();
