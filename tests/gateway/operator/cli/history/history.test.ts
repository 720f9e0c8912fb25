/** `troupe history|record|replay` against a running cluster, and `replay` by another build. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../../support/bounded.ts';
import { operatorOptions } from '../../../../support/cluster/operator-options.ts';
import { type Funded, startCluster, type TestCluster } from '../../../../support/cluster/start-cluster.ts';
import { ROOT } from '../../../../support/sources.ts';
import { troupe } from '../command.ts';
import { failureOf, told, toldJson } from '../in-process.ts';

interface StepRow {
  readonly version: number;
  readonly event: string;
  readonly node: string;
  readonly recorded: boolean;
}

const it = bounded(test, 120_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-history-'));
let cluster: TestCluster;
let at: readonly string[];
let owner: Funded;

test.before(async () => {
  cluster = await startCluster({ simulators: ['sim-a'] });
  at = await operatorOptions(cluster);
  owner = await cluster.fund('10');
  await told(['keys', 'limit', owner.keyAddress, '5', '--reason', 'a test', ...at]);
});
test.after(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

const chat = (): Promise<Response> =>
  fetch(`${cluster.baseUrls[0]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/fast', max_tokens: 10, messages: [{ role: 'user', content: 'secret words' }] }),
  });
const token = (): string => readFileSync(join(cluster.folder, 'secrets', 'operator-token'), 'utf8').trim();

async function api(path: string, body: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${cluster.nodes[0]?.operatorUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

const history = (address: string): Promise<readonly StepRow[]> => toldJson(['history', address, ...at]);

it('history shows the steps of a key with their owner, and one step with what it changed, without secrets (rule N45)', async () => {
  const steps = await history(owner.keyAddress);
  const recorded = steps.filter((step) => step.recorded).map(({ event, node }) => [event, node]);
  assert.equal(recorded, [
    ['key.create', 't1'],
    ['key.edit', 't1'],
  ]);
  const { version } = steps.find(({ event }) => event === 'key.edit') as StepRow;
  const shown = await told(['history', owner.keyAddress, '--step', String(version), ...at]);
  assert.match(shown, /^context\.limit +null +"5"$/m);
  const created = await told(['history', owner.keyAddress, '--step', '1', '--json', ...at]);
  assert.match(created, /"digest": ?"\[?redacted\]?"/);
  assert.not.match(created, /"digest": ?"[0-9a-f]{64}"/);
  assert.match(
    await failureOf(['history', owner.keyAddress, '--step', '99', ...at]),
    /step 99 of key:.* is not recorded/,
  );
});

it('record makes the steps of a hot actor visible, without what a client wrote (rule N47)', async () => {
  await (await chat()).text();
  assert.equal(
    (await history(owner.account)).filter((step) => step.recorded),
    [],
  );
  assert.match(
    await told(['record', owner.account, '--minutes', '10', ...at]),
    /^records account:\S+ for 10 minutes; /,
  );
  assert.match(
    await failureOf(['record', 'account:acct_none', '--minutes', '1', ...at]),
    /there is no account acct_none; /,
  );
  await (await chat()).text();
  const recorded = (await history(owner.account)).filter((step) => step.recorded);
  assert.equal(
    recorded.map(({ event }) => event),
    ['hold.open', 'hold.settle'],
  );
  for (const { version } of recorded) {
    assert.not.match(
      await told(['history', owner.account, '--step', String(version), '--json', ...at]),
      'secret words',
    );
  }
});

it('the API takes one step again, also with another event, and says what a recording would do (rule N48)', async () => {
  const path = `/api/actors/${encodeURIComponent(owner.keyAddress)}`;
  const [, edited] = (await history(owner.keyAddress)).filter((step) => step.recorded) as [StepRow, StepRow];
  const again = `${path}/steps/${edited.version}/again`;
  const same = (await api(again, {})).body as { readonly equal: boolean; readonly effects: readonly object[] };
  assert.ok(same.equal && same.effects.length > 0);
  const event = { type: 'key.edit', edit: { limit: '7' }, by: { kind: 'operator', id: 'me' } };
  const other = (await api(again, { event })).body as {
    readonly equal: boolean;
    readonly difference: readonly object[];
  };
  assert.is(other.equal, false);
  assert.equal(other.difference, [{ path: 'context.limit', before: '5', after: '7' }]);
  const unhandled = (await api(again, { event: { type: 'no.such' } })).body as { readonly failure: string };
  assert.match(unhandled.failure, /no transition takes no\.such/);
  assert.is((await api(`${path}/steps/99/again`, {})).status, 404);
  assert.is((await api(`${path}/steps/x/again`, {})).status, 400);
  const plan = (await api(`${path}/record`, { reason: 'slow', minutes: 5, dryRun: true })).body;
  assert.equal(plan, {
    would: `record every step of ${owner.keyAddress} for 5 minutes`,
    command: `troupe record ${owner.keyAddress} --minutes 5 --reason slow`,
  });
  assert.is((await api(`${path}/record`, { reason: 'slow', minutes: 1_441 })).status, 400);
});

it('replay takes recorded steps again while the nodes run, and preflight those of all (rule N48)', async () => {
  const same = /^all 2 recorded steps of 1 actors give the same states and effects\n$/;
  assert.match(await told(['replay', owner.keyAddress, ...at]), same);
  assert.match(await told(['replay', owner.account, ...at]), same);
  assert.match(await told(['preflight', '--replay', ...at]), /\nall \d+ recorded steps of \d+ actors give the same/);
  assert.match(await failureOf(['replay', 'key_none', ...at]), /key_none/);
});

it('a build with a wrong chart is found by one command (rule N48)', async () => {
  const build = wrongBuild();
  const { code, out, err } = await troupe(['replay', owner.keyAddress, '--build', build, ...at]).ended;
  assert.equal([code, err], [1, '']);
  assert.match(out, /^step \d+ of key:\S+ \(key\.edit, /);
  assert.match(out, /^context\.name +"[^"]*" +"wrong"$/m);
  const own = await troupe(['replay', owner.keyAddress, '--build', ROOT, ...at]).ended;
  assert.equal([own.code, own.err], [0, '']);
  assert.match(await failureOf(['replay', owner.keyAddress, '--build', folder, ...at]), /there is no build in/);
});

it('steps are written to a file of their owner alone, which the same command reads (rule N48)', async () => {
  const file = join(folder, 'steps.jsonl');
  assert.match(await told(['replay', owner.keyAddress, '--export', file, ...at]), /^2 steps are in /);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.is(readFileSync(file, 'utf8').trim().split('\n').length, 2);
  assert.match(await told(['replay', '--file', file]), /^all 2 recorded steps/);
});

/** This build with one mistake: every change of a key renames it. */
function wrongBuild(): string {
  const build = join(folder, 'build');
  mkdirSync(build);
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(build, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(build, 'node_modules'));
  const chunks = join(build, 'dist', 'chunks');
  const right = /next\.member = member;/;
  const charts = readdirSync(chunks).filter((file) => right.test(readFileSync(join(chunks, file), 'utf8')));
  for (const file of charts) {
    const text = readFileSync(join(chunks, file), 'utf8');
    writeFileSync(join(chunks, file), text.replace(right, 'next.member = member; next.name = "wrong";'));
  }
  assert.ok(charts.length > 0, 'no chunk has the chart of keys');
  return build;
}

test.run();
