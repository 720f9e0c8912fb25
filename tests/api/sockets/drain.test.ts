import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { say } from '../../support/provider/say.ts';
import { ResponsesEvents } from '../../support/stream/responses-events.ts';
import { TurnClient, textOf } from '../../support/stream/turn-client.ts';

/** A drain ends sockets after their turn, with the restart code. */
const it = bounded(test, 120_000);

let cluster: TestCluster;
test.after(() => cluster.close());

it('a drain ends an idle socket, a busy one behind its turn, and at its grace in the in-band error', async () => {
  cluster = await startCluster({ nodes: 1, edge: { drainGraceMs: 10_000 } });
  const [base] = cluster.baseUrls as [string];
  const { key } = await cluster.fund('10');
  const [idle, busy, endless] = (await Promise.all([1, 2, 3].map(() => TurnClient.open(base, key)))) as [
    TurnClient,
    TurnClient,
    TurnClient,
  ];
  await idle.turn({ model: 'sim/fast', input: 'hello' });
  busy.create({ model: 'sim/fast', input: say({ tokens: 30, tps: 20 })[0]?.content });
  endless.create({ model: 'sim/fast', input: say({ tokens: 4_000, tps: 20 })[0]?.content });
  const begun = [...(await endless.until('response.created'))];
  await busy.until('response.created');
  const drained = cluster.nodes[0]?.drain();
  assert.is((await idle.closed).code, 1012);
  assert.match(textOf(await busy.until('response.completed')), /x29/);
  assert.is((await busy.closed).code, 1012);
  const judge = new ResponsesEvents();
  for (const frame of [...begun, ...(await endless.until('response.failed'))]) judge.event(frame);
  assert.equal(judge.end(), []);
  assert.match(String(judge.error?.message), /restarting/);
  assert.is((await endless.closed).code, 1012);
  await drained;
});

test.run();
