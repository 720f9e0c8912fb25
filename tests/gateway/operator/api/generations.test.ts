import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generationCollection } from '../../../../actors/account/generation.ts';
import type { Json } from '../../../../actors/runtime/index.ts';
import { generationRoutes } from '../../../../gateway/operator/api/generations.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort, type Port } from '../port.ts';
import { StoredRows } from '../stored-rows.ts';

const it = bounded(test);
const DAY = Date.UTC(2026, 10, 28);
const COLLECTION = generationCollection(null);

interface Made {
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly endpoint?: string;
  readonly sessionId?: string;
  readonly status?: 'running' | 'settled' | 'released';
  readonly cost?: string;
  readonly cancelled?: boolean;
  readonly at?: number;
}

function put(rows: StoredRows, id: string, made: Made): void {
  const { account = 'acct_1', key = 'key_1', status = 'settled', cost = '0.01', cancelled = false } = made;
  const { at: createdAt = DAY, model = 'sim/fast', endpoint = 'ep_1', sessionId = null } = made;
  const settlement = status === 'settled' ? { cost, cancelled, promptTokens: 1, completionTokens: 2 } : null;
  const release = status === 'released' ? { reason: 'failed', attempt: 1, attempts: [] } : null;
  const row = { generation: id, model, endpoint, sessionId, status, createdAt, gateway: 'i1', settlement, release };
  const body = { ...row, key: `key:${account}/${key}`, provider: 'alpha', endedAt: createdAt + 5 };
  rows.put('generation', COLLECTION, `account:${account}`, id, body);
}

async function portOf(rows: StoredRows, members: object = {}): Promise<Port> {
  const port = await openPort(generationRoutes);
  const operator = { ps: async () => ({ nodes: [{ incarnation: 'i1' }] }) };
  const board = { topic: () => new Map([['ep_2', { model: 'sim/slow' }]]) };
  port.cluster = clusterOf({ rows, operator, board, ...members });
  return port;
}

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly next: string | null;
}

async function list(port: Port, query: string): Promise<Page> {
  const answer = await answerTo(port, 'GET', `/api/generations?${query}`);
  assert.is(answer.slice(0, 3), '200', answer);
  return JSON.parse(answer.slice(4));
}

const ids = async (port: Port, query: string) => (await list(port, query)).data.map(({ id }) => id);

it('generations of all accounts are found by each filter and by several together, newest first (rule K39)', async () => {
  const rows = new StoredRows();
  put(rows, 'a', { at: DAY + 1 });
  put(rows, 'b', { at: DAY + 2, account: 'acct_2', key: 'key_2', model: 'sim/slow', endpoint: 'ep_2' });
  put(rows, 'c', { at: DAY + 3, status: 'released', model: 'sim/slow', endpoint: 'ep_3' });
  put(rows, 'd', { at: DAY + 4, cost: '2.5', sessionId: 'talk' });
  put(rows, 'e', { at: DAY + 5, status: 'running' });
  put(rows, 'f', { at: DAY - 1, cancelled: true, cost: '0.5' });
  const port = await portOf(rows);
  assert.equal(await ids(port, ''), ['d', 'c', 'b', 'a', 'f']);
  assert.equal(await ids(port, 'account=acct_1'), ['e', 'd', 'c', 'a', 'f']);
  assert.equal(await ids(port, 'key=key:acct_2/key_2'), ['b']);
  assert.equal(await ids(port, 'model=sim/slow'), ['c', 'b']);
  assert.equal(await ids(port, 'endpoint=ep_2'), ['b']);
  assert.equal(await ids(port, 'endpoint=ep_3'), ['c']);
  assert.equal(await ids(port, 'session=talk'), ['d']);
  assert.equal(await ids(port, 'status=running'), ['e']);
  assert.equal(await ids(port, 'status=failed'), ['c']);
  assert.equal(await ids(port, 'status=cancelled'), ['f']);
  assert.equal(await ids(port, 'status=completed&account=acct_2'), ['b']);
  assert.equal(await ids(port, 'day=2026-11-27'), ['f']);
  assert.equal(await ids(port, 'day=2026-11-28&model=sim/slow&status=completed'), ['b']);
  assert.equal(await ids(port, `from=${DAY + 2}&to=${DAY + 4}`), ['c', 'b']);
  assert.equal(await ids(port, 'minCost=1'), ['d']);
  assert.equal(await ids(port, 'minCost=0.02&maxCost=1'), ['f']);
  assert.match(await answerTo(port, 'GET', '/api/generations?minCost=much'), /^400 .*minCost/);
  assert.match(await answerTo(port, 'GET', '/api/generations?day=today'), /^400 .*day/);
  port.close();
});

it('the generations of one key are found among those of its account, which has no column for keys (rule K39)', async () => {
  const rows = new StoredRows();
  for (let at = 0; at < 9; at++) put(rows, `g${at}`, { at: DAY + at, key: at % 3 === 0 ? 'key_1' : 'key_2' });
  put(rows, 'other', { account: 'acct_2', key: 'key_1' });
  const port = await portOf(rows);
  assert.equal(await ids(port, 'key=key:acct_1/key_1'), ['g6', 'g3', 'g0']);
  assert.equal(await ids(port, 'key=key:acct_1/key_1&account=acct_2'), []);
  assert.is(rows.read, 10, 'rows of these accounts alone');
  port.close();
});

it('pages follow each other without a gap, also between generations of one millisecond', async () => {
  const rows = new StoredRows();
  for (let at = 0; at < 25; at++)
    put(rows, `g${String(at).padStart(2, '0')}`, { status: at % 3 ? 'settled' : 'released' });
  const port = await portOf(rows);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = await list(port, `limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.next;
  }
  assert.equal(seen, [...new Set(seen)].sort().reverse());
  assert.is(seen.length, 25);
  port.close();
});

it('a filter that fits nothing reads a bounded number of rows, and the next page goes on (rule K39)', async () => {
  const rows = new StoredRows();
  for (let at = 0; at < 3_000; at++) put(rows, `g${String(at).padStart(4, '0')}`, { at: DAY + at });
  put(rows, 'old', { at: DAY - 1, cost: '0.9' });
  const port = await portOf(rows);
  let page = await list(port, 'minCost=0.5&limit=50');
  assert.equal(page.data, []);
  assert.ok(rows.read < 1_100, `${rows.read} rows were read`);
  while (page.data.length === 0 && page.next !== null) {
    page = await list(port, `minCost=0.5&limit=50&cursor=${page.next}`);
  }
  assert.equal(
    page.data.map(({ id }) => id),
    ['old'],
  );
  port.close();
});

it('a refund says what it would do, is given once, and refuses a generation without a charge (rule K42, rule K85)', async () => {
  const rows = new StoredRows();
  put(rows, 'gen-1', { cost: '0.25' });
  put(rows, 'gen-2', { status: 'released' });
  const asked: Json[] = [];
  const port = await portOf(rows, {
    ask: async (_: string, event: Json) => {
      asked.push(event);
      return { amount: '0.25', balance: '9', repeated: asked.length > 1 };
    },
  });
  const refund = (id: string, body: object) =>
    answerTo(port, 'POST', `/api/generations/${id}/refund`, {
      body: JSON.stringify({ reason: 'a wrong answer', ...body }),
    });
  assert.match(await refund('gen-1', { dryRun: true }), /^200 .*give 0.25 USD back.*troupe accounts refund gen-1/);
  assert.equal(asked, []);
  assert.match(await refund('gen-1', {}), /^200 .*gave 0.25 USD back/);
  assert.match(await refund('gen-1', {}), /^200 .*before/);
  const [first] = asked as readonly Readonly<Record<string, unknown>>[];
  assert.is(first?.adjustment, 'refund-gen-1');
  assert.match(await refund('gen-2', {}), /^409 .*no charge/);
  assert.match(
    await refund('gen-9', {}),
    /^404 .*gen-9 has no record.*retention\.generations, rule K85.*accounts adjust/,
  );
  port.close();
});

test.run();
