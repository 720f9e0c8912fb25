import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ActorEvent, type Cancel, type Clock, type Cluster, systemClock } from '../../../actors/runtime/index.ts';
import config from '../../../cluster.config.ts';
import { Refresher } from '../../../gateway/catalogue/refresher.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { MODEL } from '../../fixtures/models/plain.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-refresh-'));
const outbound = new Pools({ clock: systemClock, connectionsPerOriginMax: 8, connectMs: 1_000 });
const seen: (string | undefined)[] = [];
const server = createServer((request, response) => {
  seen.push(request.headers.authorization);
  response.end(JSON.stringify({ data: [MODEL] }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
test.after(async () => {
  await outbound.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

/** A test cluster: records the events sent to actors, owns the given shards, and fires timers by hand. */
function scene(providers: readonly ProviderDeclaration[], owned: readonly string[] = ['a', 'b']) {
  const sent: { readonly to: string; readonly event: ActorEvent }[] = [];
  const logged: object[] = [];
  const timers: { readonly delayMs: number; readonly run: () => void }[] = [];
  const clock = {
    after: (delayMs: number, run: () => void): Cancel => {
      const timer = { delayMs, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  } as unknown as Clock;
  const cluster = {
    ask: async (to: string, event: ActorEvent) => {
      sent.push({ to, event });
      return { changed: true };
    },
    owns: (address: string) => owned.some((slug) => address === `provider:${slug}`),
    board: { topic: () => new Map() },
  } as unknown as Cluster;
  const log = { warn: (record: object) => logged.push(record), error: (record: object) => logged.push(record) };
  const keys = new Map([['a', 'secret-a']]);
  const refresher = new Refresher({ cluster, clock, outbound, upstream: config.upstream, keys, providers, log });
  const of = (type: string): readonly ActorEvent[] =>
    sent.map(({ event }) => event).filter((event) => event.type === type);
  return { refresher, sent, logged, timers, of };
}

function provider(slug: string, models: string): ProviderDeclaration {
  return { slug, name: slug, baseUrl: `${origin}/v1`, models };
}
function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 1));
  return path;
}

it('a document that becomes invalid changes nothing, reports its line, and is read again once corrected', async () => {
  const path = file('a.json', { data: [MODEL] });
  const { refresher, of, logged } = scene([provider('a', path)]);
  assert.is((await refresher.refresh('a'))?.[0]?.problem, null);
  assert.is(of('endpoint.declare').length, 1);
  file('a.json', { data: [{ ...MODEL, created: 'soon' }] });
  for (let nth = 0; nth < 2; nth++) {
    const [broken] = (await refresher.refresh(null)) ?? [];
    assert.is(
      broken?.problem,
      `${path}: line 7: data[0].created is "soon" and must be the release date in Unix seconds`,
    );
  }
  assert.is(of('endpoint.declare').length, 1, 'nothing was declared');
  assert.is(of('endpoint.withdraw').length, 0, 'nothing was withdrawn');
  assert.is(
    of('provider.read').at(-1)?.problem,
    `${path}: line 7: data[0].created is "soon" and must be the release date in Unix seconds`,
  );
  assert.is(logged.length, 1, 'it is logged once');
  file('a.json', { data: [MODEL, { ...MODEL, id: 'm/two' }] });
  assert.is((await refresher.refresh('a'))?.[0]?.endpoints.length, 2);
  assert.is(of('endpoint.declare').length, 3);
  assert.equal([of('provider.read').at(-1)?.problem, of('provider.read').at(-1)?.endpoints], [null, 2]);
});

it('a missing file is an invalid document too', async () => {
  const { refresher } = scene([provider('a', join(folder, 'none.json'))]);
  assert.match((await refresher.refresh('a'))?.[0]?.problem ?? '', /none\.json: there is no such file$/);
});

it('the interval reads the documents of the providers whose actors live on the node', async () => {
  const path = file('b.json', { data: [MODEL] });
  const { refresher, timers, sent } = scene([provider('a', path), provider('b', path)], ['b']);
  refresher.start();
  assert.is(timers[0]?.delayMs, config.upstream.documentEveryMs);
  await refresher.round();
  assert.ok(sent.some(({ to }) => to === 'provider:b'));
  assert.not.ok(sent.some(({ to }) => to === 'provider:a'));
  refresher.stop();
  assert.is(timers.length, 0);
});

it('the interval skips an unchanged text and declares a changed or invalid one again', async () => {
  const path = file('c.json', { data: [MODEL] });
  const { refresher, of } = scene([provider('c', path)], ['c']);
  for (let nth = 0; nth < 3; nth++) await refresher.round();
  assert.is(of('endpoint.declare').length, 1);
  file('c.json', { data: [{ ...MODEL, name: 'Other' }] });
  await refresher.round();
  assert.is(of('endpoint.declare').length, 2);
  file('c.json', '{');
  await refresher.round();
  assert.match(String(of('provider.read').at(-1)?.problem), /line 1: this is not JSON/);
  file('c.json', { data: [{ ...MODEL, name: 'Other' }] });
  await refresher.round();
  assert.is(of('provider.read').at(-1)?.problem, null, 'a corrected document with the previous text is reported');
  await refresher.refresh('c');
  assert.is(of('endpoint.declare').length, 4, 'a command declares it again even if it is unchanged');
});

it('refresh returns null for an unknown provider', async () => {
  const { refresher, sent } = scene([provider('a', file('a.json', { data: [] }))]);
  assert.is(await refresher.refresh('nobody'), null);
  assert.is(sent.length, 0);
});

it("sends a provider's key only to the provider's own origin", async () => {
  const { refresher } = scene([
    provider('a', `${origin}/v1/models`),
    { ...provider('a', `${origin}/x`), baseUrl: 'http://else/v1' },
  ]);
  await refresher.refresh('a');
  assert.equal(seen, ['Bearer secret-a', undefined]);
});

test.run();
