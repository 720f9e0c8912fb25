import { test } from 'uvu';
import * as assert from 'uvu/assert';
import defaults from '../../../../cluster.config.ts';
import { differencesOf, fixedChanges, shownConfig } from '../../../../gateway/operator/config/config-difference.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const ALPHA = { slug: 'alpha', name: 'Alpha', baseUrl: 'https://alpha.example/v1', models: 'alpha.json' };

it('names each changed member, and providers by their slug', () => {
  const from = { ...defaults, providers: [ALPHA] };
  const to = {
    ...defaults,
    upstream: { ...defaults.upstream, probeEveryMs: 1 },
    providers: [
      { ...ALPHA, slug: 'beta' },
      { ...ALPHA, keyFile: '/k' },
    ],
  };
  assert.equal(differencesOf(from, from), []);
  assert.equal(differencesOf(from, to), [
    { member: 'upstream.probeEveryMs', from: defaults.upstream.probeEveryMs, to: 1 },
    { member: 'providers.alpha.keyFile', from: null, to: '/k' },
    { member: 'providers.beta', from: null, to: { ...ALPHA, slug: 'beta' } },
  ]);
  assert.equal(differencesOf({ list: [1] }, { list: [1, 2] }), [{ member: 'list', from: [1], to: [1, 2] }]);
});

it('store, shards, ports, and what all nodes share, need a stop, each with its reason', () => {
  const to = {
    ...defaults,
    store: { ...defaults.store, kind: 'postgres' },
    runtime: { ...defaults.runtime, shards: 64, heartbeatMs: 100 },
    listen: { ...defaults.listen, port: 9 },
    nodes: [],
    edge: { ...defaults.edge, drainGraceMs: 1 },
  };
  const words = fixedChanges(differencesOf(defaults, to));
  assert.equal(words, [
    'nodes cannot change while the cluster runs: nodes keep their names and addresses',
    'listen.port cannot change while the cluster runs: the public port is opened at the start',
    'store.kind cannot change while the cluster runs: the store holds the state of all nodes',
    'runtime.shards, runtime.heartbeatMs cannot change while the cluster runs: all nodes must share it (shards, heartbeats)',
  ]);
  assert.equal(fixedChanges(differencesOf(defaults, { ...defaults, edge: to.edge })), []);
});

it('what operators are shown holds no password', () => {
  const store = {
    ...defaults.store,
    url: 'postgres://me:sesame@db:5432/troupe',
    keysUrl: 'postgresql://db/k?password=sesame&x=1',
  };
  const text = JSON.stringify(shownConfig({ ...defaults, store } as never));
  assert.not.match(text, /sesame/);
  assert.match(text, /postgres:\/\/me@db:5432\/troupe/);
});

test.run();
