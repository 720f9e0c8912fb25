import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../support/auditor/audit.ts';
import { operations } from '../support/auditor/history.ts';
import { bounded } from '../support/bounded.ts';
import { cleanEvidence } from '../support-tests/clean-evidence.ts';
import type { Strike } from './nemesis.ts';
import { type ChaosReport, countRequests, passed, problemsOf, render } from './report.ts';

const it = bounded(test);
const STRIKE: Strike = {
  fault: 'SIGKILL',
  node: 'n1',
  tookEffect: true,
  takeoverMs: 300,
  healedMs: 900,
  successor: null,
  window: { from: 100, to: 200 },
};

function reportOn(
  strikes: readonly Strike[],
  bend: (report: ChaosReport) => Partial<ChaosReport> = () => ({}),
): ChaosReport {
  const evidence = cleanEvidence();
  const verdict = audit(evidence);
  const requests = countRequests(operations(evidence.history), strikes);
  const plain = { seed: 1, strikes, verdict, requests, problems: [], starts: [], awakenings: [] };
  const report = { ...plain, ...bend(plain) };
  return { ...report, problems: problemsOf(report.strikes, report.verdict, report.requests) };
}

it('a run with faults, recovery and no violation passes, and reports its numbers', () => {
  const report = reportOn([STRIKE, { ...STRIKE, takeoverMs: 700 }]);
  assert.equal(report.problems, []);
  assert.ok(passed(report));
  assert.match(render(report), /min 300 ms, median 700 ms, p99 700 ms, over 2/);
  assert.match(render(report), /lost acknowledgements 0, double charges 0, leaked holds 0/);
});

it('a fault without effect fails the run', () => {
  const report = reportOn([STRIKE, { ...STRIKE, fault: 'hold.committed', tookEffect: false }]);
  assert.not.ok(passed(report));
  assert.match(render(report), /FAILED: hold.committed had no effect on n1/);
});

it('a cluster that did not recover fails the run', () => {
  assert.match(render(reportOn([{ ...STRIKE, healedMs: null }])), /FAILED: the cluster did not recover/);
});

it('a run without an observed takeover fails', () => {
  assert.match(render(reportOn([{ ...STRIKE, takeoverMs: null }])), /no takeover was seen/);
});

it('too few ok requests outside fault windows fail the run; requests that overlap a window do not count', () => {
  assert.match(
    render(reportOn([STRIKE], (report) => ({ requests: { ...report.requests, calm: 10, calmOk: 6 } }))),
    /only 6 of 10/,
  );
  assert.is(countRequests(operations(cleanEvidence().history), [STRIKE]).calm, 1);
  assert.is(countRequests(operations(cleanEvidence().history), [{ ...STRIKE, window: { from: 0, to: 50 } }]).calm, 0);
});

it('a violated invariant fails the run and is shown with its evidence', () => {
  const clean = cleanEvidence();
  const verdict = audit({ ...clean, calls: [] });
  const report = reportOn([STRIKE], () => ({ verdict }));
  assert.not.ok(passed(report));
  assert.match(render(report), /BROKEN rule K68/);
});

test.run();
