import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError, type Operator } from '../../actors/runtime/index.ts';
import { purseKind } from '../actors/example-kinds/purse.ts';
import { senderKind } from '../actors/example-kinds/sender.ts';
import { tally } from '../actors/example-kinds/tally.ts';
import { bounded } from '../support/bounded.ts';
import { GrpcNodes } from './grpc-nodes.ts';
import { addressOn } from './test-nodes.ts';

const it = bounded(test);
const add = { type: 'tally.add', by: 2 };

it('an operator inspects and controls the whole cluster through any node', async () => {
  const nodes = new GrpcNodes();
  const [a, b, c] = await nodes.trio();
  const operator = a.node.operator;
  try {
    const view = await operator.ps();
    assert.equal(view.nodes.map((row) => row.name).sort(), ['n1', 'n2', 'n3']);
    assert.is(
      view.nodes.reduce((sum, row) => sum + row.shards, 0),
      256,
    );
    assert.ok(view.nodes.every((row) => row.live && row.gauges !== null));

    const elsewhere = addressOn(b.node, 'seen');
    const steps: { node: string; address: string; version: number }[] = [];
    const stop = operator.watch('tally:seen*', (step) => steps.push(step));
    assert.is(await operator.inspect(elsewhere), null);
    assert.is(await whyOf(operator, elsewhere), null);
    // The watch reaches the other nodes asynchronously; repeat until the first step is seen.
    let asked = 0;
    while (steps.length === 0) {
      asked += 1;
      assert.equal(await operator.ask(elsewhere, add, { withinMs: 2_000 }), { sum: 2 * asked });
      await nodes.pause(30);
    }
    assert.is(steps[0]?.node, 'n2');
    assert.is(steps[0]?.address, elsewhere);
    await a.node.ask(addressOn(c.node, 'unseen'), add, { withinMs: 2_000 });
    stop();

    const inspection = await operator.inspect(elsewhere);
    assert.is(inspection?.state, 'open');
    assert.equal(inspection?.context, { sum: 2 * asked });
    assert.is(inspection?.version, asked);
    assert.equal(await whyOf(operator, elsewhere), [`It has added up to ${2 * asked}.`]);
    assert.ok(steps.every((step) => step.address.startsWith('tally:seen')));

    const list = { order: 'address', kind: 'tally', limit: 10 } as const;
    const { actors: listed, next } = await operator.actors(list);
    assert.equal([listed.map(({ address }) => address), next], [[elsewhere, addressOn(c.node, 'unseen')].sort(), null]);
    assert.equal(await operator.actors({ ...list, node: 'n2' }), {
      actors: listed.filter(({ address }) => address === elsewhere),
      next: null,
    });
    assert.is(listed.find(({ address }) => address === elsewhere)?.node, 'n2');
    const page = await operator.actors({ ...list, limit: 1 });
    const rest = await operator.actors({ ...list, limit: 1, after: page.next ?? { since: 0, address: '' } });
    assert.equal([...page.actors, ...rest.actors], listed);
    assert.equal((await operator.actors({ ...list, kind: 'nothing' })).actors, []);
    await rejects(operator.actors({ ...list, node: 'n9' }), /no node is called "n9"/);
    assert.is(await operator.rowById('nothing', 'x'), null);

    await operator.drain('n3');
    await nodes.until(() => c.drains.length === 1, 'the node was asked to drain');
    await rejects(operator.drain('n7'), /no living node is called "n7"/);
    await rejects(operator.inspect('nonsense'), /no address/);
    const failure = await operator.ask('tally:none', { type: 'tally.read' }, { withinMs: 2_000 }).then(
      () => null,
      (error: unknown) => error,
    );
    assert.instance(failure, AskError);
    assert.is((failure as AskError).failure.code, 'absent');
  } finally {
    await nodes.close();
  }
});

it('an inspection names the owner, and the node and epoch of each step, also of those before a takeover', async () => {
  const nodes = new GrpcNodes();
  const [a, b] = await nodes.trio();
  const operator = a.node.operator;
  try {
    const address = addressOn(b.node, 'moved');
    const watched: string[] = [];
    const stop = operator.watch(address, ({ node, epoch }) => watched.push(`${node} ${epoch}`));
    await operator.ask(address, add, { withinMs: 2_000 });
    const before = await operator.inspect(address);
    assert.is(before?.node, 'n2');
    await b.node.leave();
    await operator.ask(address, add, { withinMs: 5_000 });
    const after = await operator.inspect(address);
    const owner = after?.node ?? '';
    assert.ok(['n1', 'n3'].includes(owner), owner);
    assert.ok((after?.epoch ?? 0) > (before?.epoch ?? 0));
    const by = after?.transitions.map(({ node, epoch }) => `${node} ${epoch}`);
    assert.equal(by, [`n2 ${before?.epoch}`, `${owner} ${after?.epoch}`]);
    // A step reaches a watcher at another node a moment later.
    await nodes.until(() => watched.includes(`${owner} ${after?.epoch}`), 'the step after the takeover is seen');
    stop();
  } finally {
    await nodes.close();
  }
});

it('every node shows the start of each, and the restarts that a launcher noted at one of them', async () => {
  const nodes = new GrpcNodes();
  const [a, b, c] = await nodes.trio();
  const operator = a.node.operator;
  try {
    const now = nodes.clock.now();
    const lastEnd = { reason: 'ended by SIGKILL', at: now };
    const times = [now - 3_600_001, now - 3_000_000, now];
    b.node.operator.noteRestarts({ name: 'n3', total: 7, times, lastEnd });
    await c.node.leave();
    const view = await operator.ps();
    const shown = new Map(view.nodes.map((node) => [node.name, node]));
    assert.equal(shown.get('n3')?.restarts, { total: 7, lastHour: 2 });
    assert.equal(shown.get('n3')?.lastEnd, lastEnd);
    assert.equal([shown.get('n1')?.restarts, shown.get('n1')?.lastEnd], [null, null]);
    for (const name of ['n1', 'n2']) assert.ok(now - Number(shown.get(name)?.startedAt) < 60_000, name);
    assert.is(shown.get('n3')?.startedAt, null);
  } finally {
    await nodes.close();
  }
});

it('an operator retries and skips dead messages, and gets the reason when one fails again', async () => {
  const nodes = new GrpcNodes();
  const { node } = await nodes.start('n1', { kinds: [tally, senderKind] });
  const operator = node.operator;
  try {
    await nodes.until(() => node.ready, 'the node is ready');
    const messages = [0, 1].map((i) => ({ to: 'tally:nobody', event: { type: 'tally.read', i } }));
    await operator.ask('sender:a', { type: 'open' }, { withinMs: 2_000 });
    await operator.ask('sender:a', { type: 'post', messages }, { withinMs: 2_000 });
    let deadLetters = (await operator.ps()).deadLetters;
    while (deadLetters.length < 2) {
      await nodes.pause(10);
      deadLetters = (await operator.ps()).deadLetters;
    }
    const [one, two] = deadLetters.map(({ id }) => id) as [string, string];
    await rejects(operator.retry('tally:nobody', one), /tally:nobody: absent/);
    await operator.ask('tally:nobody', add, { withinMs: 2_000 });
    const why = await whyOf(operator, 'tally:nobody');
    assert.is(why?.filter((line) => line.includes('is a dead letter after it failed once')).length, 2);
    assert.is(await operator.retry('tally:nobody', one), true);
    assert.is(await operator.skip('tally:nobody', two), true);
    assert.is(await operator.skip('tally:nobody', two), false);
    assert.equal((await operator.inspect('tally:nobody'))?.deadLetters, []);
  } finally {
    await nodes.close();
  }
});

it('an operator sees inputs that were refused or not handled as dead messages, with their cause and count', async () => {
  const nodes = new GrpcNodes();
  const { node } = await nodes.start('n1', { kinds: [tally, senderKind, purseKind] });
  const operator = node.operator;
  try {
    await nodes.until(() => node.ready, 'the node is ready');
    await operator.ask('tally:a', add, { withinMs: 2_000 });
    await operator.ask('purse:v', { type: 'fill', amount: 5 }, { withinMs: 2_000 });
    await operator.ask('sender:p', { type: 'open' }, { withinMs: 2_000 });
    const messages = [
      { to: 'tally:a', event: { type: 'tally.odd' } },
      { to: 'purse:v', event: { type: 'take', amount: 6 } },
    ];
    await operator.ask('sender:p', { type: 'post', messages }, { withinMs: 2_000 });
    let view = await operator.ps();
    while (view.deadLetters.length < 2) {
      await nodes.pause(10);
      view = await operator.ps();
    }
    const causes = {
      'tally:a': 'tally:a does not handle tally.odd in state open',
      'purse:v': 'purse:v refused take: {"short":5}',
    };
    for (const [address, cause] of Object.entries(causes)) {
      const shown = view.deadLetters.find((letter) => letter.address === address);
      assert.equal([shown?.source, shown?.from, shown?.times, shown?.failure], ['message', 'sender:p', 1, cause]);
      assert.equal((await operator.inspect(address))?.deadLetters, [shown]);
      const why = (await whyOf(operator, address))?.find((line) =>
        line.includes('is a dead letter after it failed once'),
      );
      assert.ok(why?.includes(cause), why);
    }
    const gauges = view.nodes[0]?.gauges;
    assert.equal([gauges?.deadLetters, gauges?.unhandled], [2, 1]);
    const { id = '' } = view.deadLetters.find(({ address }) => address === 'purse:v') ?? {};
    await rejects(operator.retry('purse:v', id), /purse:v refused take: \{"short":5\}/);
    await operator.ask('purse:v', { type: 'fill', amount: 1 }, { withinMs: 2_000 });
    assert.is(await operator.retry('purse:v', id), true);
    assert.is(await operator.ask('purse:v', { type: 'show' }, { withinMs: 2_000 }), 0);
    assert.equal(
      (await operator.ps()).deadLetters.map(({ address }) => address),
      ['tally:a'],
    );
  } finally {
    await nodes.close();
  }
});

/** Replaces an actor's snapshot directly in the store, as a person with access to the file could. */
async function tamper(nodes: GrpcNodes, address: string, snapshot: object): Promise<void> {
  const stored = await nodes.store.loadActor(address);
  if (!stored) throw new Error(`there is no ${address}`);
  const { actor } = stored;
  const fence = (await nodes.store.shards())[actor.shard];
  const record = { ...actor, version: actor.version + 1, snapshot: JSON.stringify(snapshot) };
  const nothing = { stopped: [], rowsPut: [], rowsRemoved: [], rowsTrimmed: [], timersSet: [], timersCancelled: [] };
  const write = { shard: actor.shard, owner: fence?.owner ?? '', epoch: fence?.epoch ?? 0 };
  const actors = [{ record, expected: actor.version }];
  assert.equal(await nodes.store.commit([{ ...write, actors, ...nothing }]), [{ shard: actor.shard, committed: true }]);
}

it('an operator sees a quarantined actor of any node and reloads it', async () => {
  const nodes = new GrpcNodes();
  const [a, b] = await nodes.trio();
  const operator = a.node.operator;
  try {
    const [bad, good] = [addressOn(b.node, 'bad'), addressOn(b.node, 'good')];
    for (const address of [bad, good]) await operator.ask(address, add, { withinMs: 2_000 });
    await tamper(nodes, bad, { value: 'nowhere', context: { sum: 2 }, status: 'active' });
    const codeOf = (): Promise<string> =>
      operator.ask(bad, add, { withinMs: 2_000 }).then(
        () => 'ok',
        (error: AskError) => error.failure.code,
      );
    // The first step conflicts with the changed version and is refused; then the shard is reloaded.
    while ((await codeOf()) !== 'quarantined') await nodes.pause(20);
    const view = await operator.ps();
    assert.equal(
      view.quarantined.map(({ address, node }) => [address, node]),
      [[bad, 'n2']],
    );
    assert.is(view.nodes.find(({ name }) => name === 'n2')?.gauges?.quarantined, 1);
    assert.match((await whyOf(operator, bad))?.join(' ') ?? '', /nowhere.*troupe reload tally:bad/);
    assert.is((await operator.reload(bad)).outcome, 'quarantined');
    assert.equal(
      await operator.ask(good, add, { withinMs: 2_000 }),
      { sum: 4 },
      'another actor of the shard is still served',
    );
    await tamper(nodes, bad, { value: 'open', context: { sum: 2 }, status: 'active' });
    assert.equal(await operator.reload(bad), { outcome: 'loaded' });
    assert.equal(await operator.ask(bad, add, { withinMs: 2_000 }), { sum: 4 });
    assert.equal((await operator.ps()).quarantined, []);
    await rejects(operator.reload('nonsense'), /no address/);
  } finally {
    await nodes.close();
  }
});

/** The explanation of an actor; null without one. */
async function whyOf(operator: Operator, address: string): Promise<readonly string[] | null> {
  return (await operator.inspect(address))?.explanation ?? null;
}

async function rejects(promise: Promise<unknown>, text: RegExp): Promise<void> {
  const failure = await promise.then(
    () => null,
    (error: Error) => error,
  );
  assert.match(failure?.message ?? 'it did not reject', text);
}

test.run();
