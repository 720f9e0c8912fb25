/** Benchmark runs end to end: from a data set in a file, over a real simulator, to the score that the catalogue shows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { benchmarks, benchmarksNote } from '../../../gateway/catalogue/measured.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { bounded } from '../../support/bounded.ts';
import { Market } from './market.ts';

const it = bounded(test);
const DAY_MS = 24 * 60 * 60_000;
const folder = mkdtempSync(join(tmpdir(), 'troupe-sets-'));
let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'a', keep: true });
});
test.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await simulator.close();
});

let sets = 0;
/** A data set whose questions tell the simulator what to answer. */
function dataset(answers: readonly (readonly [directive: object, answer: string])[], over: object = {}): string {
  const path = join(folder, `set-${++sets}.json`);
  const questions = answers.map(([directive, answer]) => ({ prompt: `@sim ${JSON.stringify(directive)}`, answer }));
  writeFileSync(path, JSON.stringify({ name: `set-${sets}`, grader: 'number', questions, ...over }));
  return path;
}

const four = dataset([
  [{ text: 'That makes 42.' }, '42'],
  [{ text: 'That makes 43.' }, '42'],
  [{ text: '7' }, '7'],
  [{ status: 500 }, '1'],
]);

it('a run scores the graded answers, and the catalogue shows the score with its disclosure (rule C45)', async () => {
  const market = new Market({}, { datasets: [four] });
  const { id } = market.declare('a', simulator.baseUrl, 'sim/fast');
  assert.match(benchmarksNote([market.shown(id)]), /^No benchmark has been run/);
  await market.benchmarker.look();
  const shown = market.shown(id);
  assert.equal(benchmarks(shown), [{ dataset: 'set-1', score: 66.67, sample_count: 3 }]);
  assert.match(benchmarksNote([shown]), /percentage of graded answers/);
  assert.equal([shown.measured.uptime1dSamples, shown.health], [0, 'unknown'], 'runs count in no other figure');
  const calls = simulator.calls.length;
  await market.benchmarker.look();
  assert.is(simulator.calls.length, calls, 'not due again');
  market.actors.now += 7 * DAY_MS;
  await market.benchmarker.look();
  assert.is(simulator.calls.length, calls + 4);
  await market.close();
});

it('a run whose answers mostly fail earns no score, and waits before it is repeated', async () => {
  const path = dataset([
    [{ status: 500 }, '1'],
    [{ finish: 'length', text: '1' }, '1'],
    [{ text: '1' }, '1'],
  ]);
  const market = new Market({}, { datasets: [path], againMs: 1_000 });
  const { id } = market.declare('a', simulator.baseUrl, 'sim/fast');
  await market.benchmarker.look();
  assert.equal(benchmarks(market.shown(id)), []);
  assert.is(market.logs.length, 1);
  const calls = simulator.calls.length;
  await market.benchmarker.look();
  assert.is(simulator.calls.length, calls);
  market.actors.now += 1_000;
  await market.benchmarker.look();
  assert.is(simulator.calls.length, calls + 3);
  await market.close();
});

it('endpoints of other nodes, failing ones and those that answer with media are left out', async () => {
  const market = new Market({}, { datasets: [four] });
  const foreign = market.declare('a', simulator.baseUrl, 'sim/fast');
  market.foreign.add(`endpoint:${foreign.id}`);
  market.declare('a', simulator.baseUrl, 'sim/painter', { outputModalities: ['text', 'image'] } as Partial<Endpoint>);
  const down = market.declare('a', simulator.baseUrl, 'sim/down');
  market.observe(down.id, Array(5).fill({ outcome: 'error', streamed: false }));
  const calls = simulator.calls.length;
  await market.benchmarker.look();
  assert.is(simulator.calls.length, calls);
  await market.close();
});

it('a data set that cannot be read is named in the log, and the others run', async () => {
  const broken = dataset([], { grader: 'judge' });
  const market = new Market({}, { datasets: [join(folder, 'missing.json'), broken, four] });
  const { id } = market.declare('a', simulator.baseUrl, 'sim/fast');
  await market.benchmarker.look();
  assert.is(benchmarks(market.shown(id)).length, 1);
  assert.match(JSON.stringify(market.logs), /missing\.json.*set-\d+\.json: \/grader/);
  await market.close();
});

test.run();
