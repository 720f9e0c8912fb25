/** One kill; `node tests/cluster/takeover.test.ts 10 [SIGSTOP]` measures the given number of them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { summary, takeovers } from './takeover.ts';

const LANES = 16;
const asked = Number(process.argv[2]);
const kills = Number.isInteger(asked) && asked > 0 ? asked : 1;
const signal = process.argv[3] === 'SIGSTOP' ? 'SIGSTOP' : 'SIGKILL';
const it = bounded(test, 30_000 + kills * 20_000);

it('a node lost under load is taken over at its first sign, and only asks in flight to it are lost (rule N25)', async () => {
  const { tookMs, reasons, failures, answered } = await takeovers(kills, signal, LANES);
  process.stdout.write(`${kills} x ${signal}, ms from the signal: ${JSON.stringify(summary(tookMs))}\n`);
  assert.is(tookMs.length, kills);
  // The time itself depends on the machine; cluster.contract.ts and pauses.test.ts bound it on a virtual clock.
  const why = signal === 'SIGKILL' ? /its port refuses|another incarnation/ : /heartbeat|outside/;
  assert.ok(reasons.length >= kills && reasons.every((reason) => why.test(reason)), reasons.join());
  assert.ok(answered > 100, `${answered} asks`);
  // At most the asks in flight to the victim: the lanes of two survivors, per kill.
  const lost = Object.entries(failures);
  assert.ok(
    lost.every(([text]) => / (lost|expired)$/.test(text)),
    JSON.stringify(failures),
  );
  assert.ok(lost.reduce((sum, [, count]) => sum + count, 0) <= kills * 2 * LANES, JSON.stringify(failures));
});

test.run();
