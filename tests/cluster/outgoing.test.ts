/** Messages between shards and activities, on virtual time, across takeovers and hand-overs. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActivityTask, Json } from '../../actors/runtime/index.ts';
import { counterKind } from '../actors/example-kinds/counter.ts';
import { orderKind } from '../actors/example-kinds/order.ts';
import { senderKind } from '../actors/example-kinds/sender.ts';
import { bounded } from '../support/bounded.ts';
import { WIDE } from '../support/wide.ts';
import type { Started } from './test-nodes.ts';
import { VirtualNodes } from './virtual-nodes.ts';

const it = bounded(test);
const WITHIN = { withinMs: 5_000 };

/** A card company with idempotency keys: a charge requested twice is made once. */
class Bank {
  readonly calls: (ActivityTask & { readonly node: string; readonly signal: AbortSignal })[] = [];
  readonly charged = new Map<string, number>();
  /** Calls wait until this resolves. */
  open: Promise<void> = Promise.resolve();

  activities(node: string) {
    const run = async (job: ActivityTask, signal: AbortSignal): Promise<Json> => {
      this.calls.push({ ...job, node, signal });
      this.charged.set(job.key, (job.input as { cents: number }).cents);
      await this.open;
      return { charged: true };
    };
    return { charge: { ...WIDE, run }, work: { ...WIDE, run } };
  }
}

interface Scene {
  readonly nodes: VirtualNodes;
  readonly bank: Bank;
  readonly trio: readonly [Started, Started, Started];
}

const within = (title: string, run: (scene: Scene) => Promise<void>): void =>
  it(title, async () => {
    const nodes = new VirtualNodes();
    const bank = new Bank();
    const kinds = [orderKind, counterKind, senderKind];
    try {
      const names = ['n1', 'n2', 'n3'];
      const trio = await Promise.all(
        names.map((name) => nodes.start(name, { kinds, activities: bank.activities(name) })),
      );
      await nodes.until(() => trio.every(({ node }) => node.ready), 'all three are ready');
      await run({ nodes, bank, trio: trio as unknown as [Started, Started, Started] });
    } finally {
      await nodes.close();
    }
  });

const on = ({ node }: Started, kind: string, salt: string): string => {
  for (let i = 0; ; i++) if (node.owns(`${kind}:${salt}${i}`)) return `${kind}:${salt}${i}`;
};
const totalOf = async (from: Started, counter: string): Promise<number> =>
  ((await from.node.ask(counter, { type: 'read' }, WITHIN)) as { total: number }).total;
const stored = async (nodes: VirtualNodes, collection: string) =>
  (await nodes.store.rows({ collection, limit: 1_000 })).length;

within(
  'the example kind pays its order: charge, message to another node, timer cancelled, published',
  async (scene) => {
    const { nodes, bank, trio } = scene;
    const [a, b] = trio;
    const till = on(b, 'counter', 'till');
    const order = on(a, 'order', 'o');
    await a.node.ask(till, { type: 'add', by: 0 }, WITHIN);
    assert.equal(await b.node.ask(order, { type: 'order.place', cents: 250, till }, WITHIN), { cents: 250 });
    await nodes.until(() => b.node.board.topic('orders').get(order) === 'paid', 'the board says paid');
    while ((await totalOf(a, till)) !== 250) await nodes.pause(5);
    assert.is(bank.calls.length, 1);
    const seen = await b.node.operator.inspect(order);
    assert.equal([seen?.state, seen?.timers.length, seen?.activities.length], ['paid', 0, 0]);
    assert.equal(seen?.explanation, ['The order is paid.']);
    while ((await stored(nodes, '$outbox')) > 0) await nodes.pause(5);
  },
);

within('a node killed during charges and messages: each order is paid once, with one key', async (scene) => {
  const { nodes, bank, trio } = scene;
  const [a, b, c] = trio;
  let release = (): void => {};
  bank.open = new Promise((resolve) => {
    release = resolve;
  });
  const till = on(c, 'counter', 'till');
  await a.node.ask(till, { type: 'add', by: 0 }, WITHIN);
  const orders = Array.from({ length: 30 }, (_, i) => on(trio[i % 2] as Started, 'order', `k${i}x`));
  for (const order of orders) await c.node.ask(order, { type: 'order.place', cents: 10, till }, WITHIN);
  await nodes.until(() => bank.calls.length === 30, 'all charges are under way');
  const victims = bank.calls.filter(({ node }) => node === 'n1').length;
  assert.is(victims, 15);
  await a.kill();
  await c.node.operator.recordDeath(a.node.self.incarnation, 'killed');
  await nodes.until(() => bank.calls.length === 45, 'the activities of the dead node run again');
  release();
  await nodes.until(() => orders.every((order) => c.node.board.topic('orders').get(order) === 'paid'), 'all are paid');
  while ((await stored(nodes, '$outbox')) > 0) await nodes.pause(10);
  assert.is(await totalOf(b, till), 300);
  assert.is(bank.charged.size, 30);
  const again = bank.calls.slice(30);
  assert.ok(again.every(({ attempt, node }) => attempt === 2 && node !== 'n1'));
  await nodes.until(() => a.died.length > 0 || a.store.cut, 'the dead node detects its death');
});

it('a node begins no activity before its host reports that it serves (rule N6)', async () => {
  const nodes = new VirtualNodes();
  const bank = new Bank();
  try {
    const activities = bank.activities('n1');
    const { node } = await nodes.start('n1', { kinds: [senderKind], activities, serves: false });
    await nodes.until(() => node.ready, 'the node is ready');
    await node.ask('sender:m', { type: 'open' }, WITHIN);
    await node.ask('sender:m', { type: 'work', id: 'w', input: { cents: 1 } }, WITHIN);
    await new Promise<void>((resolve) => nodes.clock.after(3_000, resolve));
    const [waiting] = (await node.operator.inspect('sender:m'))?.activities ?? [];
    assert.equal([bank.calls.length, waiting?.begun], [0, false]);
    node.serve();
    await nodes.until(() => bank.calls.length === 1, 'the work runs');
  } finally {
    await nodes.close();
  }
});

within(
  'a draining node completes its activities, and the new owner receives the result',
  async ({ bank, trio, nodes }) => {
    const [a, b] = trio;
    let release = (): void => {};
    bank.open = new Promise((resolve) => {
      release = resolve;
    });
    const actor = on(a, 'sender', 'm');
    await b.node.ask(actor, { type: 'open' }, WITHIN);
    await b.node.ask(actor, { type: 'work', id: 'w', input: { cents: 1 } }, WITHIN);
    await nodes.until(() => bank.calls.length === 1, 'the work runs');
    const left = a.node.leave();
    await nodes.until(
      () => !a.node.owns(actor) && trio.slice(1).some(({ node }) => node.owns(actor)),
      'the shard has moved',
    );
    assert.not.ok(bank.calls[0]?.signal.aborted);
    release();
    await left;
    const received = (await b.node.ask(actor, { type: 'open' }, WITHIN)) as string[];
    assert.equal(received, [JSON.stringify({ charged: true })]);
    assert.is(bank.calls.length, 1);
  },
);

within('a cancel reaches the activity on another node, and a node declared dead aborts its calls', async (scene) => {
  const { bank, trio, nodes } = scene;
  const [a, b] = trio;
  bank.open = new Promise(() => {});
  const actor = on(a, 'sender', 'm');
  await b.node.ask(actor, { type: 'open' }, WITHIN);
  await b.node.ask(actor, { type: 'work', id: 'far', input: { cents: 1 } }, WITHIN);
  await nodes.until(() => bank.calls.length === 1, 'the work runs');
  await a.node.drain();
  await b.node.ask(actor, { type: 'drop', id: 'far' }, WITHIN);
  await nodes.until(() => bank.calls[0]?.signal.aborted === true, 'the remote call is aborted');
  const other = on(b, 'sender', 'other');
  await b.node.ask(other, { type: 'open' }, WITHIN);
  await b.node.ask(other, { type: 'work', id: 'aborted', input: { cents: 2 } }, WITHIN);
  await nodes.until(() => bank.calls.length === 2, 'the second work runs');
  const row = (await nodes.store.heartbeat({ incarnation: 'nobody', reaches: [], state: 'up' })).nodes.find(
    ({ incarnation }) => incarnation === b.node.self.incarnation,
  );
  assert.ok(await nodes.store.markDead(b.node.self.incarnation, row?.beat ?? 0, 'the test'));
  await nodes.until(() => b.died.length > 0, 'it detects that it is dead');
  assert.ok(bank.calls[1]?.signal.aborted);
});

within('an operator sees the dead messages of all nodes, and retries or skips them through any', async ({ trio }) => {
  const [a, b] = trio;
  const from = on(a, 'sender', 'from');
  const nobody = on(b, 'sender', 'nobody');
  await a.node.ask(from, { type: 'open' }, WITHIN);
  const messages = ['1', '2'].map((note) => ({ to: nobody, event: { type: 'mood', note } }));
  await a.node.ask(from, { type: 'post', messages }, WITHIN);
  let deadLetters = (await a.node.operator.ps()).deadLetters;
  while (deadLetters.length < 2) deadLetters = (await a.node.operator.ps()).deadLetters;
  assert.equal(
    deadLetters.map(({ address, source, event }) => [address, source, event]),
    [0, 1].map(() => [nobody, 'message', 'mood']),
  );
  const [first, second] = deadLetters as [(typeof deadLetters)[0], (typeof deadLetters)[0]];
  const refused = await a.node.operator.retry(nobody, first.id).catch((error: Error) => error.message);
  assert.match(String(refused), /absent/);
  await b.node.ask(nobody, { type: 'open' }, WITHIN);
  assert.is(await a.node.operator.retry(nobody, first.id), true);
  assert.is(await a.node.operator.skip(nobody, second.id), true);
  assert.is(await b.node.operator.skip(nobody, second.id), false);
  assert.equal((await b.node.operator.ps()).deadLetters, []);
  const forged = await a.node.operator.ask(nobody, { type: '$skip', id: 'x' }, WITHIN).catch((error: Error) => error);
  assert.match(String(forged), /runtime's own event type/);
});

test.run();
