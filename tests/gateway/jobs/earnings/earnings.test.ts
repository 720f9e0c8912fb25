/**
 * Earnings of providers against the generations that were charged: random workloads on the charts of accounts and keys,
 * folded by nodes that die between any two steps, recomputed by whole numbers from the generation rows.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../../../actors/kinds.ts';
import type { Earning } from '../../../../actors/provider/earnings.ts';
import type { Cluster, RowQuery, RowRecord } from '../../../../actors/runtime/index.ts';
import type { Generation } from '../../../../actors/terms/hold.ts';
import { endpointAddress, providerAddress } from '../../../../actors/terms/ids.ts';
import { EarningsFolder } from '../../../../gateway/jobs/earnings/earnings-folder.ts';
import { ProviderEarnings } from '../../../../gateway/jobs/earnings/provider-earnings.ts';
import type { ProviderDeclaration } from '../../../../gateway/terms/provider-declaration.ts';
import { bounded } from '../../../support/bounded.ts';
import { DECLARATION } from '../../../support/model/endpoints.ts';
import { PureActors } from '../../../support/model/pure-actors.ts';
import * as words from '../../../support/model/words.ts';
import { ACCOUNT, KEY } from '../../../support/model/words.ts';

const it = bounded(test, 120_000);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 0, 30, 12);
const PROVIDERS = [{ slug: 'alpha', feeFraction: '0.05' }, { slug: 'beta' }] as unknown as ProviderDeclaration[];
const MODELS = ['m/one', 'm/two'] as const;
const ASK_MS = 1;

interface Op {
  readonly does: 'settle' | 'release' | 'late' | 'withdraw' | 'leave';
  readonly provider: number;
  readonly model: number;
  readonly cost: string;
  readonly unpriced: boolean;
  readonly videoSeconds: string | null;
  readonly tokens: number;
  readonly hours: number;
}

const decimal = fc
  .tuple(fc.nat(2), fc.array(fc.nat(9), { minLength: 1, maxLength: 24 }))
  .map(([whole, digits]) => `${whole}.${digits.join('')}`);
const anOp: fc.Arbitrary<Op> = fc.record({
  does: fc.constantFrom('settle', 'settle', 'settle', 'release', 'late', 'withdraw', 'leave'),
  provider: fc.nat(1),
  model: fc.nat(1),
  cost: decimal,
  unpriced: fc.boolean(),
  videoSeconds: fc.option(decimal),
  tokens: fc.nat(10_000),
  hours: fc.nat(20),
});

/** The cluster as the folder sees it; `dies` decides before and after each ask whether its node is killed. */
function clusterOf(actors: PureActors, dies: () => boolean = () => false): Cluster {
  const killed = (): void => {
    if (dies()) throw new Error('the node was killed');
  };
  const ask = async (to: string, event: { readonly type: string }) => {
    killed();
    const { reply } = actors.tell(to, event);
    killed();
    return reply;
  };
  const rows = { rows: async (query: RowQuery) => rowsOf(actors, query) };
  return { ask, rows, now: () => actors.now, owns: () => true } as unknown as Cluster;
}

function rowsOf(actors: PureActors, { collection, address, where, after, limit }: RowQuery): readonly RowRecord[] {
  const found = [...actors.rows].flatMap(([key, body]): RowRecord[] => {
    const [of = '', name = ''] = key.split(' ', 2);
    const declared = actors.kinds.get(of.slice(0, of.indexOf(':')))?.collections.get(collection);
    if (name !== collection || declared === undefined || (address !== undefined && address !== of)) return [];
    if (where && declared.index?.[where.column]?.(body) !== where.equals) return [];
    const id = key.slice(of.length + name.length + 2);
    return [{ address: of, collection, id, sort: declared.sort?.(body) ?? 0, body: JSON.stringify(body) } as RowRecord];
  });
  const isLater = (one: { sort: number; id: string }, other: { sort: number; id: string }): boolean =>
    one.sort === other.sort ? one.id > other.id : one.sort > other.sort;
  return found
    .filter((row) => after === undefined || isLater(row, after))
    .sort((a, b) => (isLater(a, b) ? 1 : -1))
    .slice(0, limit);
}

function run(ops: readonly Op[]): PureActors {
  const actors = new PureActors(kinds, START);
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(ACCOUNT, words.depositEvent('dep-1', '100000') as never);
  actors.tell(KEY, words.createKeyEvent() as never);
  for (const { slug } of PROVIDERS) {
    actors.tell(providerAddress(slug), { type: 'provider.declare', facts: { slug }, digest: slug } as never);
  }
  for (const [n, op] of ops.entries()) runOp(actors, op, `gen-${n}`);
  return actors;
}

function runOp(actors: PureActors, op: Op, id: string): void {
  const slug = PROVIDERS[op.provider]?.slug as string;
  const model = MODELS[op.model] as string;
  const named = { model, endpoint: `ep_${slug}_${op.model}`, provider: slug.toUpperCase() };
  // Not the id that a catalogue derives: only the declaration tells the provider of an endpoint.
  const declaration = { ...DECLARATION, id: named.endpoint, model, provider: { id: slug, slug, name: slug } };
  actors.tell(endpointAddress(named.endpoint), { type: 'endpoint.declare', declaration, digest: id } as never);
  const until = { deadlineAt: actors.now + 40 * DAY_MS };
  actors.tell(KEY, words.admitEvent(words.request(id, '3', { ...named, ...until })) as never);
  actors.advance(op.hours * HOUR_MS);
  const settlement = {
    ...words.settlement(id, op.cost),
    ...{ promptTokens: op.tokens, completionTokens: 7, unpriced: op.unpriced ? ['request'] : [] },
    ...(op.videoSeconds === null ? {} : { media: { videoSeconds: op.videoSeconds } }),
  };
  if (op.does === 'release' || op.does === 'late') actors.tell(ACCOUNT, words.releaseEvent(words.release(id)) as never);
  // A repeat of a settlement is answered from its record and earns nothing more.
  for (const _ of ['settle', 'late', 'withdraw'].includes(op.does) ? [1, 2] : [])
    actors.tell(ACCOUNT, words.settleEvent(settlement) as never);
  if (op.does === 'withdraw') actors.tell(endpointAddress(named.endpoint), { type: 'endpoint.withdraw' } as never);
}

const DECIMALS = 24;
function unitsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS));
}

/** From the generation rows alone: charges in 10^-24 USD, requests, tokens and unpriced ones by day, provider, model. */
function oracle(actors: PureActors): Map<string, string> {
  const sums = new Map<string, [bigint, number, number, number]>();
  for (const { status, endedAt, provider, model, settlement } of actors.list<Generation>(ACCOUNT, 'generation')) {
    if (status !== 'settled' || settlement === null) continue;
    const name = `${new Date(endedAt as number).toISOString().slice(0, 10)} ${provider.toLowerCase()} ${model}`;
    const [cost, requests, tokens, unpriced] = sums.get(name) ?? [0n, 0, 0, 0];
    const more = settlement.unpriced.length > 0 ? 1 : 0;
    sums.set(name, [
      ...([cost + unitsOf(settlement.cost), requests + 1, tokens + (settlement.promptTokens ?? 0)] as const),
      unpriced + more,
    ]);
  }
  return new Map([...sums].map(([name, sum]) => [name, sum.join(' ')]));
}

async function readAll(actors: PureActors): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const reader = new ProviderEarnings(clusterOf(actors), ASK_MS);
  for (const { slug, feeFraction } of PROVIDERS) {
    const facts = { slug, ...(feeFraction && { feeFraction }) } as never;
    // Month by month, as far as the workload can reach.
    for (let from = Date.UTC(2026, 0, 1); from <= actors.now; from += 31 * DAY_MS) {
      const { earnings } = await reader.read(facts, { from, till: from + 31 * DAY_MS });
      for (const earning of earnings) {
        const name = `${new Date(earning.day).toISOString().slice(0, 10)} ${slug} ${earning.model}`;
        assert.not(found.has(name), `${name} is there twice`);
        const { requests, promptTokens, unpriced = 0 } = earning;
        found.set(name, [unitsOf(earning.gross), requests, promptTokens, unpriced].join(' '));
        checkFee(earning, feeFraction);
      }
    }
  }
  return found;
}

/** 5 percent, floored at 24 decimals, and the rest. */
function checkFee({ gross, fee, net }: Earning, feeFraction: string | undefined): void {
  assert.is(unitsOf(fee), feeFraction === undefined ? 0n : (unitsOf(gross) * 5n) / 100n);
  assert.is(unitsOf(fee) + unitsOf(net), unitsOf(gross));
}

const folderOf = (actors: PureActors, dies?: () => boolean): EarningsFolder =>
  new EarningsFolder({
    ...{ cluster: clusterOf(actors, dies), providers: PROVIDERS, askMs: ASK_MS, log: { warn: () => {} } },
    clock: {} as never,
  });

const sorted = (sums: Map<string, string>) => [...sums].sort(([a], [b]) => (a < b ? -1 : 1));

it('every charge is earned once, to the last digit, folded or not, whenever nodes that fold die (rule C47)', async () => {
  let charged = 0;
  const property = fc.asyncProperty(
    fc.array(anOp, { minLength: 1, maxLength: 16 }),
    fc.array(fc.nat(12), { maxLength: 6 }),
    async (ops, deaths) => {
      const half = Math.ceil(ops.length / 2);
      const actors = run(ops.slice(0, half));
      assert.equal(sorted(await readAll(actors)), sorted(oracle(actors)));
      for (const steps of deaths) {
        let left = steps;
        const folder = folderOf(actors, () => left-- === 0);
        await folder.round().catch((error: Error) => assert.is(error.message, 'the node was killed'));
      }
      for (const [n, op] of ops.slice(half).entries()) runOp(actors, op, `gen-later-${n}`);
      await folderOf(actors).round();
      await folderOf(actors).round();
      assert.equal(sorted(await readAll(actors)), sorted(oracle(actors)));
      charged += actors.list<Generation>(ACCOUNT, 'generation').filter(({ status }) => status === 'settled').length;
    },
  );
  await fc.assert(property, { numRuns: 30 });
  assert.ok(charged > 60, `${charged} charges were compared`);
});

it('a day is folded an hour after its end, and a later fee does not change it', async () => {
  const settled: Op = {
    ...{ does: 'settle', provider: 0, model: 0, cost: '1', unpriced: true, videoSeconds: '1.5', tokens: 3, hours: 0 },
  };
  const actors = run([settled]);
  const read = async (feeFraction: string) => {
    const reader = new ProviderEarnings(clusterOf(actors), ASK_MS);
    const from = Date.UTC(2026, 0, 30);
    return reader.read({ slug: 'alpha', feeFraction } as never, { from, till: from + DAY_MS });
  };
  actors.advance(12 * HOUR_MS + HOUR_MS - 1);
  await folderOf(actors).round();
  assert.is((await read('0.5')).earnings[0]?.fee, '0.5');
  actors.advance(1);
  await folderOf(actors).round();
  const { earnings, finalTill } = await read('0.5');
  assert.is(finalTill, Date.UTC(2026, 0, 31));
  assert.is(earnings.length, 1);
  const { fee, net, gross, units, unpriced } = earnings[0] as Earning;
  assert.equal(
    { fee, net, gross, units, unpriced },
    {
      ...{ fee: '0.05', net: '0.95', gross: '1', units: { videoSeconds: '1.5' }, unpriced: 1 },
    },
  );
});

test.run();
