/** Planned shutdowns under load: a rolling restart fails no call, and Ctrl-C of the cluster charges what was delivered. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { storeFile } from '../support/auditor/store-file.ts';
import { bounded } from '../support/bounded.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { openAccounts } from './bank.ts';
import { failuresOf, rollingDrains } from './drains.ts';
import { Providers } from './providers.ts';

const it = bounded(test, 300_000);

it('a restart by signal or by command under load fails no call, and each node takes back exactly its share (rule N35)', async () => {
  const ways = ['SIGTERM', 'troupe drain'] as const;
  const { operations, drains } = await rollingDrains({ ways, inFlight: 6, restMs: 100, calmMs: 700 });
  assert.equal(failuresOf(operations), [], `of ${operations.length} calls`);
  for (const { node, join: joined } of drains) {
    assert.ok(joined.tookMs !== null, `${node} never took its share`);
    assert.ok(joined.share > 40 && joined.moved >= joined.share, `${node}: ${JSON.stringify(joined)}`);
    assert.is(joined.needless, 0, `${node}: ${JSON.stringify(joined)}`);
  }
});

const STREAMS = 50;
const UNLIMITED = 1_000_000_000;

it('Ctrl-C during 50 streams: some complete, the others end with 503, and all are charged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-ctrl-c-'));
  const providers = await Providers.start(folder);
  const cluster = await LaunchedCluster.start({
    edge: { drainGraceMs: 2_500 },
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    demo: { enabled: false, simulators: 0 },
    providers: providers.declarations,
  });
  try {
    const payers = await openAccounts(cluster, 5, '100');
    const begun: Promise<void>[] = [];
    const streams = Array.from({ length: STREAMS }, (_, i) => {
      let delivered: () => void = () => {};
      begun.push(new Promise((resolve) => (delivered = resolve)));
      // One in two completes within the grace period.
      return stream(cluster, payers[i % payers.length]?.key ?? '', i % 2 === 0 ? 40 : 400, delivered);
    });
    await Promise.all(begun);
    assert.is(await cluster.stop(true), 0);
    const ended = await Promise.all(streams);
    assert.ok(ended.every(({ text }) => /data: \[DONE\]\n\n$/.test(text)));
    const aborted = ended.filter(({ text }) => text.includes('"code":503')).length;
    assert.ok(aborted >= STREAMS / 4 && aborted < STREAMS, `${aborted} streams ended with 503`);
    const store = storeFile(join(cluster.data, 'troupe.db'));
    const rows = new Map((await store.dump()).generations.map(({ row }) => [row.generation, row]));
    await store.close();
    for (const { generation } of ended) {
      const row = rows.get(generation);
      assert.is(row?.status, 'settled', `${generation} is ${row?.status}: ${row?.release?.reason}`);
      assert.ok(Number(row?.settlement?.cost) > 0);
    }
  } finally {
    await cluster.stop();
    await providers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Reads one stream to its end; calls back at its first content. */
async function stream(
  cluster: LaunchedCluster,
  key: string,
  tokens: number,
  delivered: () => void,
): Promise<{ readonly generation: string; readonly text: string }> {
  const messages = [{ role: 'user', content: `@sim ${JSON.stringify({ tokens, tps: 40 })}` }];
  const response = await fetch(`${cluster.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/slow', stream: true, max_tokens: 500, messages }),
  });
  const generation = response.headers.get('x-generation-id') ?? '';
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (text.includes('"content":"')) delivered();
  }
  return { generation, text };
}

test.run();
