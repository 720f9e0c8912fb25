/** A node of the product that drains while an activity waits for a provider: intake, shards, activities, then the client. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActivityHandler, ActivityTask } from '../../actors/runtime/index.ts';
import type { NodeHandle } from '../../gateway/main.ts';
import type { NodePorts } from '../../gateway/node/node-options.ts';
import { type Outbound, outboundUrl } from '../../gateway/outbound/outbound.ts';
import type { OutboundError } from '../../gateway/outbound/outbound-error.ts';
import { senderKind } from '../actors/example-kinds/sender.ts';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { failureOf } from '../support/failure-of.ts';
import { WIDE } from '../support/wide.ts';

const it = bounded(test);
const WITHIN = { withinMs: 10_000 };
const LIMITS = { connectMs: 5_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000, bodyBytesMax: 1_000 };

/** A provider that answers when it is told to. */
async function slowProvider() {
  const waiting: ServerResponse[] = [];
  const server = createServer((_, response) => void waiting.push(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { waiting, server, url: outboundUrl(`http://127.0.0.1:${port}`, '/slow') };
}

interface Call {
  readonly task: ActivityTask;
  readonly signal: AbortSignal;
  readonly outbound: Outbound;
}

async function scene({ graceMs, ...handler }: Graces, run: (parts: Scene) => Promise<void>): Promise<void> {
  const provider = await slowProvider();
  const calls: Call[] = [];
  const ports: NodePorts = {
    kinds: [senderKind],
    activities: (outbound) => ({
      work: {
        ...WIDE,
        ...handler,
        run: async (task, signal) => {
          calls.push({ task, signal, outbound: outbound() });
          const call = { method: 'GET', url: provider.url, headers: [], body: null, limits: LIMITS } as const;
          return (await outbound().send(call)).body.text();
        },
      },
    }),
  };
  const waits: string[] = [];
  const onWaiting = (what: string): void => void waits.push(what);
  const cluster = await startCluster({
    nodes: 2,
    ports,
    activities: { graceMs },
    edge: { drainGraceMs: 100 },
    onWaiting,
  });
  try {
    await run({ provider, calls, waits, nodes: cluster.nodes });
  } finally {
    for (const response of provider.waiting) response.end('late');
    await cluster.close();
    provider.server.close();
  }
}

/** Of the node, and of the handler beyond it. */
interface Graces extends Pick<ActivityHandler, 'patience'> {
  readonly graceMs: number;
}

interface Scene {
  readonly provider: Awaited<ReturnType<typeof slowProvider>>;
  readonly calls: readonly Call[];
  /** What a draining node said that it waits for. */
  readonly waits: readonly string[];
  readonly nodes: readonly NodeHandle[];
}

/** The actor of an activity that the first node runs. */
async function atWork({ nodes: [leaving], calls, provider }: Scene): Promise<string> {
  const { cluster } = leaving as NodeHandle;
  const actor = Array.from({ length: 1_000 }, (_, i) => `sender:s${i}`).find((address) => cluster.owns(address));
  if (actor === undefined) throw new Error('the first node owns nothing');
  await cluster.ask(actor, { type: 'open' }, WITHIN);
  await cluster.ask(actor, { type: 'work', id: 'w' }, WITHIN);
  await until(() => calls.length === 1 && provider.waiting.length === 1);
  return actor;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

it('a drain waits for the provider of a running activity, and closes the client after it', () =>
  scene({ graceMs: 100, patience: { graceMs: 20_000, applies: () => true } }, async (parts) => {
    const [leaving, staying] = parts.nodes as [NodeHandle, NodeHandle];
    const actor = await atWork(parts);
    const [call] = parts.calls as [Call];
    const drained = leaving.drain();
    await until(() => staying.cluster.owns(actor));
    // Open turns had their grace, and reading on its second: the client stays open for the activity alone.
    await until(() => parts.waits.length > 1);
    assert.not.ok(call.signal.aborted);
    parts.provider.waiting[0]?.end('from the provider');
    await drained;
    assert.equal(await staying.cluster.ask(actor, { type: 'open' }, WITHIN), ['"from the provider"']);
    assert.is(parts.calls.length, 1);
    const after = { method: 'GET', url: parts.provider.url, headers: [], body: null, limits: LIMITS } as const;
    const failure = await failureOf(call.outbound.send(after));
    assert.is((failure as OutboundError).failure, 'saturated', 'the client is closed by now');
  }));

it('an activity that outlasts its grace is aborted, and its next attempt begins on another node', () =>
  scene({ graceMs: 500 }, async (parts) => {
    const [leaving, staying] = parts.nodes as [NodeHandle, NodeHandle];
    const actor = await atWork(parts);
    await leaving.drain();
    assert.ok(parts.calls[0]?.signal.aborted);
    await until(() => parts.provider.waiting.length === 2);
    const [first, second] = parts.calls as [Call, Call];
    assert.equal([second.task.attempt, second.task.key], [2, first.task.key]);
    parts.provider.waiting[1]?.end('from the second call');
    const received = async () => (await staying.cluster.ask(actor, { type: 'open' }, WITHIN)) as readonly string[];
    await until(async () => (await received()).length === 2);
    assert.equal(await received(), ['"attempt 2"', '"from the second call"']);
  }));

test.run();
