import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointKind } from '../../../actors/endpoint/endpoint.ts';
import {
  configurationOf,
  countAsks,
  EVIDENCE_MS,
  evidenceOf,
  type Findings,
  findingsUnder,
  NO_EVIDENCE,
  NO_FINDINGS,
  type Observation,
  observeAsks,
  observeCheck,
  toolFidelity,
} from '../../../actors/endpoint/evidence.ts';
import type { EndpointRecord } from '../../../actors/endpoint/record.ts';
import type { EndpointDeclaration, Evidence } from '../../../actors/terms/endpoint.ts';
import { bounded } from '../../support/bounded.ts';
import { DECLARATION as PLAIN } from '../../support/model/endpoints.ts';
import { type Outcome, PureActors } from '../../support/model/pure-actors.ts';

const it = bounded(test);
const START = 1_763_690_400_000;
const HOUR_MS = 60 * 60_000;
const ADDRESS = 'endpoint:ep_1';
const DECLARATION: EndpointDeclaration = {
  ...PLAIN,
  supportedParameters: ['reasoning', 'response_format', 'structured_outputs', 'tool_choice', 'tools'],
  reasoning: { efforts: ['high', 'low', 'none'], mandatory: false },
};
const EMPTY = findingsUnder(NO_FINDINGS, DECLARATION);

function saw(
  check: Observation['check'],
  verdict: Observation['verdict'],
  over: Partial<Observation> = {},
): Observation {
  return { check, verdict, configuration: configurationOf(DECLARATION), version: 1, detail: 'as asked', ...over };
}

function after(...seen: readonly (readonly [number, Observation])[]): Findings {
  return seen.reduce(
    (findings, [hours, observation]) => observeCheck(findings, observation, START + hours * HOUR_MS),
    EMPTY,
  );
}

function shown(findings: Findings, hours = 0): Evidence {
  return evidenceOf(findings, DECLARATION, START + hours * HOUR_MS);
}

function withAsks(kept: number, broken: number, at = START, findings = EMPTY): Findings {
  const asks = [...Array(kept).fill('kept'), ...Array(broken).fill('broken')];
  return observeAsks(
    findings,
    asks.map((toolAsk) => ({ outcome: 'success', streamed: false, toolAsk })),
    at,
  );
}

it('a failed check withholds the refuted ability until a later check passes (rule I111)', () => {
  const table: readonly (readonly [Observation['check'], readonly string[]])[] = [
    ['tools', ['tools', 'tool_choice']],
    ['structured_outputs', ['structured_outputs']],
    ['response_format', ['response_format']],
    ['tool_dispatch', []],
    ['effort:none', []],
  ];
  for (const [check, withheld] of table) {
    const failed = after([0, saw(check, 'failed')]);
    assert.equal(shown(failed).withheld, withheld, check);
    assert.equal(shown(observeCheck(failed, saw(check, 'passed'), START + 1)).withheld, [], check);
  }
});

it('only declared parameters are withheld', () => {
  const declaration = { ...DECLARATION, supportedParameters: ['tools'] };
  const findings = observeCheck(
    findingsUnder(NO_FINDINGS, declaration),
    saw('tools', 'failed', { configuration: configurationOf(declaration) }),
    START,
  );
  assert.equal(evidenceOf(findings, declaration, START).withheld, ['tools']);
});

it('a level and `none` are refuted by their latest check, one by one (rule I113)', () => {
  const findings = after(
    [0, saw('effort:none', 'failed')],
    [0, saw('effort:high', 'failed')],
    [0, saw('effort:low', 'passed')],
  );
  assert.equal(shown(findings).refutedEfforts, ['none', 'high']);
  assert.equal(shown(observeCheck(findings, saw('effort:none', 'passed'), START + 1)).refutedEfforts, ['high']);
});

it('dispatch is verified only by a current positive check (rule I66)', () => {
  assert.is(shown(EMPTY).dispatchVerified, false);
  assert.is(shown(after([0, saw('tool_dispatch', 'inconclusive')])).dispatchVerified, false);
  const passed = after([0, saw('tool_dispatch', 'passed')]);
  assert.is(shown(passed, 23.9).dispatchVerified, true);
  assert.is(shown(passed, 24).dispatchVerified, false);
  assert.is(
    shown(after([0, saw('tool_dispatch', 'passed')], [1, saw('tool_dispatch', 'failed')]), 1).dispatchVerified,
    false,
  );
});

it('a finding is valid for 24 hours, then unverified rather than refuted (rule C40)', () => {
  const failed = after([0, saw('tools', 'failed')]);
  assert.equal(evidenceOf(failed, DECLARATION, START + EVIDENCE_MS - 1).withheld, ['tools', 'tool_choice']);
  assert.equal(evidenceOf(failed, DECLARATION, START + EVIDENCE_MS).withheld, []);
  assert.equal(shown(failed, 24).checks, [{ check: 'tools', verdict: null, triedAt: START }]);
});

it('an inconclusive check extends no expiry, clears no failure and is recorded as a try (rule C40)', () => {
  const findings = after([0, saw('tools', 'failed')], [23, saw('tools', 'inconclusive')]);
  assert.equal(shown(findings, 23).withheld, ['tools', 'tool_choice']);
  assert.equal(shown(findings, 24).withheld, []);
  assert.equal(shown(findings, 23).checks, [
    { check: 'tools', verdict: 'failed', triedAt: START + 23 * HOUR_MS, verdictAt: START, version: 1 },
  ]);
  assert.is(
    shown(after([0, saw('tool_dispatch', 'passed')], [23, saw('tool_dispatch', 'inconclusive')]), 24).dispatchVerified,
    false,
  );
  assert.equal(shown(after([0, saw('tools', 'failed')], [23, saw('tools', 'failed')]), 30).withheld, [
    'tools',
    'tool_choice',
  ]);
});

it('another serving configuration discards findings; a new price or description does not (rule C40)', () => {
  const findings = withAsks(0, 30, START, after([0, saw('effort:none', 'failed')]));
  const dearer = { ...DECLARATION, tariff: { id: 'tariff-2', discount: 0 }, description: 'new words' };
  assert.is(findingsUnder(findings, dearer), findings);
  for (const other of [
    { ...DECLARATION, target: { ...DECLARATION.target, upstreamId: 'model-2' } },
    { ...DECLARATION, quantization: 'fp8' },
    { ...DECLARATION, supportedParameters: ['tools'] },
  ]) {
    const left = findingsUnder(findings, other);
    assert.equal([left.byCheck, left.asks], [{}, []]);
  }
  const late = observeCheck(EMPTY, saw('tools', 'failed', { configuration: 'of before' }), START);
  assert.is(late, EMPTY, 'a check of the old configuration does not apply to the new one');
});

it('a newer probe discards the findings of an older one, whose later results are ignored', () => {
  const old = after([0, saw('tools', 'failed')]);
  assert.equal(shown(observeCheck(old, saw('tools', 'inconclusive', { version: 2 }), START)).withheld, []);
  const renewed = observeCheck(old, saw('tools', 'passed', { version: 2 }), START);
  assert.is(observeCheck(renewed, saw('tools', 'failed', { version: 1 }), START), renewed);
});

it('an unknown check is ignored', () => {
  assert.is(observeCheck(EMPTY, saw('effort:wild' as never, 'failed'), START), EMPTY);
});

it('tool fidelity is a percentage of the demanded asks of a day, null below 20 (rule C35)', () => {
  const table: readonly (readonly [number, number, number | null, boolean])[] = [
    [0, 0, null, false],
    [0, 19, null, false],
    [0, 20, 0, true],
    [16, 4, 80, true],
    [17, 3, 85, false],
    [84, 16, 84, true],
    [8_499, 1_501, 84.99, true],
    [20, 0, 100, false],
  ];
  for (const [kept, broken, percent, underFloor] of table) {
    const findings = withAsks(kept, broken);
    assert.equal(toolFidelity(findings.asks, START), { percent, samples: kept + broken, underFloor });
    const evidence = shown(findings);
    assert.equal([evidence.toolCallSuccess1d, evidence.toolCallSuccess1dSamples], [percent, kept + broken]);
    assert.equal(evidence.withheld, underFloor ? ['tools', 'tool_choice'] : []);
  }
});

it('asks age out of the day by half hours, and merge into as many buckets as a day has', () => {
  let findings = EMPTY;
  for (let half = 0; half < 200; half++) findings = withAsks(1, 0, START + half * 30 * 60_000, findings);
  assert.ok(findings.asks.length <= 49);
  const last = START + 199 * 30 * 60_000;
  assert.is(toolFidelity(findings.asks, last).samples, 49);
  assert.is(toolFidelity(findings.asks, last + 25 * HOUR_MS).samples, 0);
  assert.equal(countAsks([], [{ at: START - 1 }], START), []);
});

it('below the floor the scheduled tool checks count as asks, so that it can recover', () => {
  let findings = withAsks(10, 10);
  assert.equal(shown(findings).withheld, ['tools', 'tool_choice']);
  let checks = 0;
  for (; shown(findings).withheld.length > 0 && checks < 200; checks++) {
    findings = observeCheck(findings, saw('tools', 'passed'), START);
  }
  // (10 + n) / (20 + n) reaches 85 % at n = 47.
  assert.is(checks, 47);
  assert.is(shown(findings).toolCallSuccess1d, 85.075);
  const above = observeCheck(findings, saw('tools', 'passed'), START);
  assert.is(shown(above).toolCallSuccess1dSamples, 67, 'checks do not count above the floor');
  const failing = observeCheck(withAsks(10, 10), saw('tools', 'failed'), START);
  assert.is(shown(failing).toolCallSuccess1dSamples, 21);
  assert.is(shown(observeCheck(withAsks(10, 10), saw('tools', 'inconclusive'), START)).toolCallSuccess1dSamples, 20);
  assert.is(shown(observeCheck(withAsks(0, 5), saw('tools', 'failed'), START)).toolCallSuccess1dSamples, 5);
});

it('when the failed asks are a day old the checks alone decide', () => {
  let findings = withAsks(100, 900);
  for (let half = 1; half <= 60; half++) {
    findings = observeCheck(findings, saw('tools', 'passed'), START + half * HOUR_MS * 0.5);
  }
  const evidence = shown(findings, 30);
  assert.is(evidence.toolCallSuccess1d, 100);
  assert.equal(evidence.withheld, []);
});

it('for any checks in any order, the newest conclusive verdict of the newest probe is valid for a day, and storage stays bounded', () => {
  const checks = ['tools', 'tool_dispatch', 'effort:none', 'response_format'] as const;
  const observation = fc.record({
    check: fc.constantFrom(...checks),
    verdict: fc.constantFrom('passed', 'failed', 'inconclusive'),
    version: fc.integer({ min: 1, max: 3 }),
    configuration: fc.constantFrom(configurationOf(DECLARATION), 'another'),
    afterMs: fc.integer({ min: 0, max: 16 * HOUR_MS }),
  });
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 40 }), (observations) => {
      let at = START;
      let findings = EMPTY;
      const accepted: { check: string; verdict: string; version: number; at: number }[] = [];
      for (const { afterMs, configuration, ...seen } of observations) {
        at += afterMs;
        findings = observeCheck(
          findings,
          saw(seen.check, seen.verdict as 'passed', { version: seen.version, configuration }),
          at,
        );
        if (configuration !== 'another') accepted.push({ ...seen, at });
      }
      for (const check of checks) {
        const own = accepted.filter((one) => one.check === check);
        const version = Math.max(0, ...own.map((one) => one.version));
        const last = own.filter((one) => one.version === version && one.verdict !== 'inconclusive').at(-1);
        const expected = last !== undefined && at - last.at < EVIDENCE_MS ? last.verdict : null;
        const shownVerdict =
          shown(findings, (at - START) / HOUR_MS).checks?.find((one) => one.check === check)?.verdict ?? null;
        assert.is(shownVerdict, expected);
      }
      assert.ok(JSON.stringify(findings).length < 6_000);
    }),
    { numRuns: 500 },
  );
});

function declared(): PureActors {
  const actors = new PureActors([endpointKind], START);
  actors.tell(ADDRESS, { type: 'endpoint.declare', declaration: DECLARATION, digest: 'one' } as never);
  return actors;
}

function check(actors: PureActors, observation: Observation): Outcome {
  return actors.tell(ADDRESS, { type: 'check.observed', ...observation } as never);
}

function evidenceShown(outcome: Outcome): Evidence | undefined {
  return (outcome.published.at(-1)?.value as { evidence?: Evidence } | undefined)?.evidence;
}

it('chart: a verdict is committed and published at once, and leaves health unchanged', () => {
  const actors = declared();
  const outcome = check(actors, saw('structured_outputs', 'failed'));
  assert.ok(outcome.durable);
  assert.equal(evidenceShown(outcome)?.withheld, ['structured_outputs']);
  assert.is(actors.state(ADDRESS), 'unknown');
  assert.equal(evidenceShown(check(actors, saw('structured_outputs', 'passed')))?.withheld, []);
});

it('chart: expired evidence is dropped with the next probe', () => {
  const actors = declared();
  check(actors, saw('tool_dispatch', 'passed'));
  actors.now += EVIDENCE_MS;
  const outcome = actors.tell(ADDRESS, { type: 'probe.observed', failure: null } as never);
  assert.is(evidenceShown(outcome)?.dispatchVerified, false);
});

it('chart: reported tool asks change the evidence at the pace of the figures', () => {
  const actors = declared();
  actors.now += HOUR_MS;
  const attempts = Array.from({ length: 20 }, () => ({ outcome: 'error', streamed: false, toolAsk: 'broken' }));
  const outcome = actors.tell(ADDRESS, { type: 'attempts.observed', attempts } as never);
  assert.equal(evidenceShown(outcome)?.withheld, ['tools', 'tool_choice']);
  assert.is(evidenceShown(outcome)?.toolCallSuccess1d, 0);
  const called = actors.tell(ADDRESS, {
    type: 'attempts.observed',
    attempts: [{ outcome: 'other', streamed: false, toolAsk: 'broken' }],
  } as never);
  assert.equal(called.published, [], 'outcomes that do not count for health do not count for fidelity');
});

it('chart: a changed declaration begins unverified, a withdrawn endpoint ignores checks', () => {
  const actors = declared();
  check(actors, saw('tools', 'failed'));
  const other = { ...DECLARATION, quantization: 'fp8' };
  const outcome = actors.tell(ADDRESS, { type: 'endpoint.declare', declaration: other, digest: 'two' } as never);
  assert.equal(evidenceShown(outcome), { ...NO_EVIDENCE, checks: [], benchmarks: [] });
  actors.tell(ADDRESS, { type: 'endpoint.withdraw' });
  assert.equal(check(actors, saw('tools', 'failed', { configuration: configurationOf(other) })).published, []);
  assert.equal(actors.context<EndpointRecord>(ADDRESS).findings.byCheck, {});
});

it('why explains each check: its time, its result and the end of its validity', () => {
  const actors = declared();
  check(actors, saw('tools', 'failed', { detail: 'prose where a call was demanded' }));
  check(actors, saw('tool_dispatch', 'inconclusive', { detail: 'no answer in time' }));
  const lines = actors.explain(ADDRESS);
  assert.ok(
    lines.includes(
      'The check of tools was last tried at 2025-11-21T02:00:00.000Z: prose where a call was demanded. It has failed, found at 2025-11-21T02:00:00.000Z, which counts until 2025-11-22T02:00:00.000Z.',
    ),
    lines.join('\n'),
  );
  assert.ok(
    lines.includes(
      'The check of tool_dispatch was last tried at 2025-11-21T02:00:00.000Z: inconclusive (no answer in time). It has no valid verdict: the ability is unverified.',
    ),
    lines.join('\n'),
  );
  assert.ok(lines.includes('Withheld for now, although declared: tools, tool_choice.'));
});

test.run();
