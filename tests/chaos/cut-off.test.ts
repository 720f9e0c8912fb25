import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { buildFirst } from '../support/cluster/build-first.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { FaultInjector } from '../support/faults/fault-injector.ts';
import { openAccounts } from './bank.ts';
import { Providers } from './providers.ts';

const it = bounded(test, 120_000);
const STREAMS = 9;
/** Longer than the cut, the verdict and its detection by the node together. */
const WORDS = 240;
const WORDS_PER_SECOND = 20;
const NODES = ['n1', 'n2', 'n3'];

interface Ended {
  readonly text: string;
  /** The connection ended cleanly. */
  readonly whole: boolean;
  readonly afterMs: number;
}

it('streams of a node that loses only the store end in-band with 503, all others complete', async () => {
  await buildFirst();
  const folder = mkdtempSync(join(tmpdir(), 'troupe-cut-off-'));
  const providers = await Providers.start(folder);
  const injector = new FaultInjector();
  const cluster = await LaunchedCluster.start(
    {
      nodes: NODES.map((name) => ({ name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0' })),
      providers: providers.declarations,
    },
    { env: injector.env },
  );
  try {
    const key = (await openAccounts(cluster, 1, '100'))[0]?.key ?? '';
    const opened: Promise<void>[] = [];
    const streams = Array.from({ length: STREAMS }, () => {
      let begun = (): void => {};
      opened.push(new Promise((resolve) => (begun = resolve)));
      return stream(`${cluster.baseUrl}/chat/completions`, key, begun);
    });
    await Promise.all(opened);
    const cutAt = performance.now();
    injector.set('n2', { cut: true });
    const ended = await Promise.all(streams);
    const failed = ended.filter(({ text }) => text.includes('"error"'));
    const served = ended.filter(({ text }) => text.includes('"cost"'));
    assert.ok(
      ended.every(({ whole, text }) => whole && text.endsWith('data: [DONE]\n\n')),
      'every stream ends cleanly',
    );
    assert.ok(failed.length > 0, 'some streams were on the node that was cut off');
    assert.is(failed.length + served.length, STREAMS);
    for (const { text, afterMs } of failed) {
      assert.match(text, /"error":\{"code":503,/);
      assert.match(text, /"finish_reason":"error"/);
      assert.ok(afterMs - cutAt < (WORDS / WORDS_PER_SECOND) * 1_000, 'the error arrives before the regular end');
    }
  } finally {
    injector.clear('n2');
    await cluster.stop();
    await providers.stop();
    injector.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function stream(url: string, key: string, begun: () => void): Promise<Ended> {
  const directive = JSON.stringify({ tokens: WORDS, tps: WORDS_PER_SECOND });
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({
      model: 'sim/slow',
      stream: true,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: `@sim ${directive}` }],
    }),
  });
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece as Uint8Array, { stream: true });
      if (text.includes('"content"')) begun();
    }
    return { text, whole: true, afterMs: performance.now() };
  } catch {
    return { text, whole: false, afterMs: performance.now() };
  } finally {
    begun();
  }
}

test.run();
