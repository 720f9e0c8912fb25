import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generationCollection } from '../../../actors/account/generation.ts';
import { batchCollection } from '../../../actors/batch/batch-record.ts';
import type { Collection } from '../../../actors/runtime/index.ts';
import { batchId, lineGenerationId } from '../../../actors/terms/ids.ts';
import { generationRoutes } from '../../../gateway/operator/api/generations.ts';
import { bounded } from '../../support/bounded.ts';
import { answerTo, clusterOf, openPort } from './port.ts';
import { StoredRows } from './stored-rows.ts';

const it = bounded(test);
const AT = Date.UTC(2026, 10, 28, 12);
const ACCOUNT = 'account:acct_1';
const KEY = 'key:acct_1/key_1';
const LEDGER: Collection = { sort: ({ sequence }: { readonly sequence: number }) => sequence };

const TRIED = [
  { endpoint: 'ep_2', provider: 'beta', status: 503, outcome: 'failed', latencyMs: 20, reason: 'overloaded' },
  { endpoint: 'ep_1', provider: 'alpha', status: 200, outcome: 'served', latencyMs: 30 },
];
const SETTLEMENT = {
  cost: '0.0024',
  promptTokens: 1_000,
  completionTokens: 200,
  cachedTokens: null,
  reasoningTokens: null,
  estimated: false,
  cancelled: false,
  admittedMs: 4,
  attempts: TRIED,
};
const ROW = {
  generation: 'gen-1',
  attempt: 1,
  amount: '0.01',
  status: 'settled',
  key: KEY,
  gateway: 'i2',
  model: 'sim/fast',
  endpoint: 'ep_1',
  provider: 'alpha',
  tariff: 't1',
  sessionId: null,
  createdAt: AT,
  endedAt: AT + 90,
  settlement: SETTLEMENT,
  release: null,
  late: false,
  overshoot: null,
};

/** The actors whose steps were read. */
const listed: string[] = [];

async function timeline(rows: StoredRows, id: string) {
  const port = await openPort(generationRoutes);
  const died = { type: 'died', at: AT + 50, node: 'n2', incarnation: 'i2', why: 'killed' };
  const steps = [{ at: AT + 90, event: 'hold.settle', from: 'open', to: 'open', node: 'n3', epoch: 4, version: 17 }];
  port.cluster = clusterOf({
    rows,
    operator: {
      events: async () => [died, { ...died, type: 'joined', at: 1 }],
      history: {
        list: async (address: string) => {
          listed.push(address);
          return address === ACCOUNT ? steps : [];
        },
      },
    },
    board: {
      topic: () => new Map([['ep_1', { tariff: { id: 't1', prompt: '0.000002', completion: '0.000002' } }]]),
    },
  });
  const answer = await answerTo(port, 'GET', `/api/generations/${id}/timeline`);
  port.close();
  assert.is(answer.slice(0, 3), '200', answer);
  return JSON.parse(answer.slice(4));
}

it('a request is one time line over key, hold, attempts, charge and ledger, broken where its node died (rule K41)', async () => {
  const rows = new StoredRows();
  rows.put('generation', generationCollection(null), ACCOUNT, 'gen-1', ROW);
  const entry = { sequence: 1, at: AT + 90, ref: 'gen-1', balance: '4.9976' };
  rows.put('ledger', LEDGER, ACCOUNT, '000000000001', entry);
  const found = await timeline(rows, 'gen-1');
  assert.equal(
    found.spans.map((span: { readonly what: string; readonly at: number }) => [span.at - AT, span.what]),
    [
      [-4, 'admission'],
      [0, 'hold of 0.01 USD'],
      [0, 'attempt at beta'],
      [20, 'attempt at alpha'],
      [90, 'charge of 0.0024 USD'],
      [90, 'ledger entry 1'],
      [90, 'spending of the key'],
    ],
  );
  assert.equal(listed, [KEY, ACCOUNT], 'the steps of each actor are read once');
  const charged = found.spans[4];
  assert.equal([charged.node, charged.epoch, charged.version], ['n3', 4, 17]);
  assert.equal(found.breaks, [{ at: AT + 50, node: 'n2', why: 'killed' }]);
  assert.equal(found.charge, [
    { name: 'prompt', quantity: '1000', price: '0.000002', amount: '0.002' },
    { name: 'completion', quantity: '200', price: '0.000002', amount: '0.0004' },
  ]);
  assert.equal([found.total, found.countedBy], ['0.0024', 'the provider']);
  assert.equal(found.hints, []);
});

it('a second charge of the same key and size within seconds is a hint, and an older tariff has no prices', async () => {
  const rows = new StoredRows();
  const put = (generation: string, createdAt: number, promptTokens: number, key = KEY): void => {
    const settlement = { ...SETTLEMENT, promptTokens };
    const body = { ...ROW, generation, createdAt, settlement, tariff: 't0', key };
    rows.put('generation', generationCollection(null), ACCOUNT, generation, body);
  };
  put('gen-1', AT, 1_000);
  put('gen-2', AT + 3_000, 1_000);
  put('gen-3', AT + 4_000, 999);
  put('gen-4', AT + 60_000, 1_000);
  put('gen-5', AT + 2_000, 1_000, 'key:acct_1/key_2');
  const { hints, charge } = await timeline(rows, 'gen-1');
  assert.is(hints.length, 1);
  assert.match(hints[0], /gen-2 .* 3\.0 s later/);
  assert.equal(charge[0], { name: 'prompt', quantity: '1000', price: null, amount: null });
});

it('the batch of a line is found by its id alone', async () => {
  const rows = new StoredRows();
  const id = batchId({ bytes: (count: number) => new Uint8Array(count) } as never, AT);
  const counts = { total: 4, completed: 4, failed: 0 };
  const batch = { id, account: 'acct_1', status: 'completed', bodies: null, counts };
  rows.put('batch', batchCollection, `batch:acct_1/${id}`, id, batch);
  const generation = lineGenerationId(id, 2);
  rows.put('generation', generationCollection(null), ACCOUNT, generation, { ...ROW, generation, gateway: null });
  const port = await openPort(generationRoutes);
  port.cluster = clusterOf({
    rows,
    operator: {
      events: async () => [],
      history: {
        list: async (address: string) =>
          address.startsWith('batch:')
            ? [
                {
                  at: AT + 5,
                  event: 'line.done',
                  from: 'in_progress',
                  to: 'in_progress',
                  node: 'n1',
                  epoch: 2,
                  version: 9,
                },
              ]
            : [],
      },
    },
    board: { topic: () => new Map() },
  });
  const answer = await answerTo(port, 'GET', `/api/generations/${generation}/timeline`);
  port.close();
  assert.match(answer, new RegExp(`"what":"line 2 of 4 of ${id}: line.done","node":"n1","epoch":2,"version":9`));
});

test.run();
