import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ProviderState } from '../../../../actors/provider/provider.machine.ts';
import { providerKind } from '../../../../actors/provider/provider.ts';
import type { RefreshState } from '../../../../actors/provider/refreshes.ts';
import {
  type ActorEvent,
  type Cancel,
  type Clock,
  type Cluster,
  systemClock,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { Refresher } from '../../../../gateway/catalogue/declare/refresher.ts';
import { Pools } from '../../../../gateway/outbound/pools.ts';
import type { ProviderDeclaration } from '../../../../gateway/terms/provider-declaration.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { bounded } from '../../../support/bounded.ts';
import { PureActors } from '../../../support/model/pure-actors.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-refresh-'));
const outbound = new Pools({
  clock: systemClock,
  lease: { connected: true },
  connectionsPerOriginMax: 8,
  connectMs: 1_000,
});
const seen: (string | undefined)[] = [];
const server = createServer((request, response) => {
  const { authorization, 'api-key': key } = request.headers;
  seen.push(authorization ?? (key as string | undefined));
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
  const parts = { clock, random: systemRandom, outbound, upstream: config.upstream, keys, providers, log };
  const refresher = new Refresher({ cluster, ...parts });
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

it('a document that becomes invalid changes nothing, reports its line, and is read again once corrected (rule C46)', async () => {
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

/** A cluster whose providers are real charts. */
function charted(providers: readonly ProviderDeclaration[]) {
  const actors = new PureActors([providerKind], 1_000_000);
  const told: ActorEvent[] = [];
  const tell = (to: string, event: ActorEvent): unknown => {
    told.push(event);
    if (!to.startsWith('provider:')) return { changed: true };
    return actors.tell(to, event).reply;
  };
  const cluster = {
    ask: async (to: string, event: ActorEvent) => tell(to, event),
    tell,
    owns: () => true,
    board: { topic: () => new Map() },
  } as unknown as Cluster;
  const log = { warn: () => {}, error: () => {} };
  const parts = { clock: systemClock, random: systemRandom, outbound, upstream: config.upstream, providers, log };
  for (const { slug } of providers)
    actors.tell(`provider:${slug}`, { type: 'provider.declare', facts: { slug }, digest: slug } as never);
  const refreshes = (slug: string) => actors.context<ProviderState>(`provider:${slug}`).refreshes as RefreshState;
  return { refresher: new Refresher({ cluster, keys: new Map(), ...parts }), actors, told, refreshes };
}

const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
};

it('a reading on command shows its progress, and its result in the history; one runs at a time', async () => {
  const path = file('h.json', { data: [MODEL, { ...MODEL, id: 'm/two' }] });
  const { refresher, refreshes, told } = charted([provider('h', path)]);
  const first = await refresher.begin('h');
  assert.is(first?.phase, 'queued');
  assert.is((await refresher.begin('h'))?.run, first?.run);
  await until(() => refreshes('h').running === null);
  const steps = told.filter(({ type }) => type === 'refresh.progress').map((event) => [event.phase, event.declared]);
  assert.equal(steps, [
    ['reading', 0],
    ['declaring', 0],
    ['declaring', 1],
  ]);
  file('h.json', { data: [{ ...MODEL, created: 'soon', name: 7 }] });
  await refresher.refresh('h');
  const [invalid, declared, ...others] = refreshes('h').history;
  assert.equal(others, []);
  assert.equal(
    [declared?.run, declared?.by, declared?.result, declared?.endpoints],
    [first?.run, 'provider', 'declared', 2],
  );
  assert.equal([invalid?.by, invalid?.result, invalid?.endpoints], ['operator', 'invalid', 0]);
  assert.is(invalid?.faults.length, 2);
  assert.is(await refresher.begin('unknown'), null);
});

it('a run whose node died ends as interrupted, and the history is bounded', () => {
  const { actors, refreshes } = charted([provider('i', 'x')]);
  const tell = (event: object) => actors.tell('provider:i', event as never).reply as { begun: boolean };
  const end = { ...{ type: 'refresh.end', result: 'declared', endpoints: 1, changes: 0 }, faults: [], warnings: [] };
  assert.ok(tell({ type: 'refresh.begin', run: 'run_0', by: 'provider' }).begun);
  assert.not(tell({ type: 'refresh.begin', run: 'run_1', by: 'provider' }).begun);
  actors.advance(600_000);
  assert.equal([refreshes('i').running, refreshes('i').history[0]?.result], [null, 'interrupted']);
  tell({ ...end, run: 'run_0' });
  assert.is(refreshes('i').history.length, 1, 'the end of a run that was given up changes nothing');
  for (let n = 0; n < 30; n++) {
    tell({ type: 'refresh.begin', run: `run_${n}`, by: 'operator' });
    tell({ ...end, run: `run_${n}`, faults: new Array(99).fill('x'.repeat(9_999)) });
  }
  const { history } = refreshes('i');
  assert.equal([history.length, history[0]?.run, history[0]?.faults.length], [20, 'run_29', 20]);
  assert.is(history[0]?.faults[0]?.length, 500);
  actors.advance(600_000);
  assert.is(refreshes('i').history[0]?.result, 'declared', 'the deadline of an ended run is gone');
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
  const formed = scene([{ ...provider('a', `${origin}/v1/models`), wire: { credential: 'api-key' } }]);
  await formed.refresher.refresh('a');
  assert.equal(seen.slice(2), ['secret-a'], 'in the declared form');
});

test.run();
