/** Money over links that lose, duplicate and reorder messages, compared with the same run over good links. (rule N7, rule N28) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../actors/account/ledger.ts';
import { kinds } from '../../actors/kinds.ts';
import { type ActorEvent, AskError, type Json } from '../../actors/runtime/index.ts';
import { systemRandom } from '../../actors/runtime/system/clock.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { bounded } from '../support/bounded.ts';
import { inWeather, type Tally, type Weather } from '../support/links/weather.ts';
import * as words from '../support/model/words.ts';
import { verifyLedger } from '../support/verify-ledger.ts';
import { VirtualNodes } from './virtual-nodes.ts';

const it = bounded(test);
const LANES = 8;
const TURNS_PER_LANE = 6;
const TRY_MS = 150;
const TRIES_MAX = 200;
const SLACK_MS = 1_000;
const GOODPUT_MIN = 0.5;
const { ACCOUNT, KEY } = words;

interface Outcome {
  readonly state: object;
  readonly tries: number;
  readonly answered: number;
  readonly slowestMs: number;
  readonly tally: Tally;
}

/** Runs the turns; repeats each command until it is answered, from the node that does not own the account. */
async function run(weather: Weather): Promise<Outcome> {
  const nodes = new VirtualNodes();
  const tally: Tally = { lost: 0, duplicated: 0 };
  const ports = { clock: nodes.clock, random: systemRandom, tally };
  try {
    const pair = await Promise.all(
      ['n1', 'n2'].map((name) => nodes.start(name, { kinds }, (own) => inWeather(own, weather, ports))),
    );
    await nodes.until(() => pair.every(({ node }) => node.ready), 'both are ready');
    await nodes.until(() => pair.some(({ node }) => node.owns(ACCOUNT)), 'the account has an owner');
    const asker = pair.find(({ node }) => !node.owns(ACCOUNT));
    if (!asker) throw new Error('both own the account');
    let [tries, answered, slowestMs] = [0, 0, 0];
    const tell = async (to: string, event: object): Promise<Json> => {
      for (let i = 0; i < TRIES_MAX; i++) {
        tries += 1;
        const began = nodes.clock.monotonic();
        try {
          const body = await asker.node.ask(to, event as ActorEvent, { withinMs: TRY_MS });
          answered += 1;
          return body;
        } catch (error) {
          if (!(error instanceof AskError)) throw error;
        } finally {
          slowestMs = Math.max(slowestMs, nodes.clock.monotonic() - began);
        }
      }
      throw new Error(`${JSON.stringify(event)} was never answered`);
    };
    await tell(ACCOUNT, { type: 'account.create', name: 'Ada' });
    await tell(KEY, words.createKeyEvent());
    const lane = async (at: number): Promise<void> => {
      for (let turn = 0; turn < TURNS_PER_LANE; turn++) {
        const id = `${at}-${turn}`;
        await tell(ACCOUNT, words.depositEvent(`dep-${id}`, '1'));
        const held = words.request(`gen-${id}`, '0.5', { deadlineAt: nodes.clock.now() + 600_000, repeat: true });
        await tell(KEY, words.admitEvent(held));
        if (turn % 3 === 2) await tell(ACCOUNT, words.releaseEvent(words.release(`gen-${id}`)));
        else await tell(ACCOUNT, words.settleEvent(words.settlement(`gen-${id}`, '0.015')));
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)));
    // Only duplicates of answered commands are still in flight; they arrive before the accounts are read.
    await nodes.pause(weather.delayMsMax + TRY_MS);
    return { state: await accountsOf(nodes), tries, answered, slowestMs, tally };
  } finally {
    await nodes.close();
  }
}

/** Everything that must not depend on duplicates or order of the commands. */
async function accountsOf({ store }: VirtualNodes): Promise<object> {
  const stored = async <T>(collection: string): Promise<readonly T[]> => {
    const rows = await store.rows({ collection, address: ACCOUNT, order: 'ascending', limit: 1_000 });
    return rows.map((row) => JSON.parse(row.body) as T);
  };
  const generations = await stored<Generation>('generation');
  return {
    ledger: verifyLedger(await stored<LedgerEntry>('ledger')),
    deposits: (await stored('deposit')).length,
    generations: generations
      .map(({ generation, status, settlement }) => `${generation} ${status} ${settlement?.cost}`)
      .sort(),
  };
}

const good = await run({ loss: 0, duplicates: 0, delayMsMax: 0 });

const WEATHERS: readonly (readonly [string, Weather])[] = [
  ['half of all messages duplicated, all reordered', { loss: 0, duplicates: 0.5, delayMsMax: 60 }],
  ['every tenth message lost', { loss: 0.1, duplicates: 0, delayMsMax: 5 }],
  ['a third lost, half duplicated, all reordered', { loss: 0.3, duplicates: 0.5, delayMsMax: 60 }],
];

for (const [title, weather] of WEATHERS) {
  it(`the accounts equal those of a run without loss or duplicates: ${title} (rule N7)`, async () => {
    const rough = await run(weather);
    assert.equal(rough.state, good.state);
    if (weather.loss > 0) assert.ok(rough.tally.lost > 10, `${rough.tally.lost} lost`);
    if (weather.duplicates > 0) assert.ok(rough.tally.duplicated > 50, `${rough.tally.duplicated} duplicated`);
    assert.ok(rough.slowestMs <= TRY_MS + SLACK_MS, `an ask took ${rough.slowestMs} ms`);
    const goodput = rough.answered / rough.tries;
    if (weather.loss <= 0.1) assert.ok(goodput >= GOODPUT_MIN, `${goodput} of the asks were answered`);
  });
}

it('over good links every ask is answered at once, and the accounts are sound', () => {
  assert.is(good.tries, good.answered);
  const { ledger, deposits } = good.state as { ledger: { sound: boolean; charges: string }; deposits: number };
  assert.is(ledger.sound, true);
  assert.is(deposits, LANES * TURNS_PER_LANE);
  assert.is(ledger.charges, String((LANES * TURNS_PER_LANE * 2 * 15) / 3 / 1_000));
});

test.run();
