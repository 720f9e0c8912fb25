import { hostname } from 'node:os';
import { purseKind } from '../actors/example-kinds/purse.ts';
import { startBareNode } from '../support/cluster/bare-node.ts';
import { type AskResult, askLoop } from './ask-loop.ts';
import { openBenchStore } from './bench-store.ts';
import { DEBIT, OPEN, SHOW } from './purse-events.ts';

/** Commands of the benchmark to a node process, and their answers. */
export type ToAskNode =
  /** Create this many purses that another node owns. */
  | { readonly type: 'open'; readonly purses: number }
  | { readonly type: 'run'; readonly event: 'debit' | 'show'; readonly inFlight: number; readonly seconds: number };
export type FromAskNode =
  | { readonly type: 'ready' }
  | { readonly type: 'opened' }
  | { readonly type: 'ran'; readonly result: AskResult };

/**
 * One node of the ask benchmark: the runtime alone, with one small kind, over a store and gRPC, as in production.
 * `ask-node NAME DATABASE` (a file, or the address of a PostgreSQL database); commands come over IPC.
 */
const WITHIN_MS = 10_000;
const NODES = 2;
/** Longer than the interval between two shard transfers. */
const SETTLED_MS = 1_500;
const [name = '', path = ''] = process.argv.slice(2);

const node = await startBareNode({
  name,
  kinds: [purseKind],
  store: await openBenchStore(path),
  host: hostname(),
  onDead: (why) => {
    throw new Error(why);
  },
});

let purses: readonly string[] = [];

/** Waits until both nodes are up and no shard has moved for a while, so that asks to the other node stay remote. */
async function balanced(): Promise<void> {
  let held = '';
  let since = performance.now();
  while (performance.now() - since < SETTLED_MS) {
    const { nodes } = await node.operator.ps();
    const now = nodes.map((each) => `${each.live ? each.shards : 0}`).join(' ');
    const shared = node.ready && nodes.filter((each) => each.live && each.shards > 0).length === NODES;
    if (!shared || now !== held) since = performance.now();
    held = now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function open(count: number): Promise<void> {
  await balanced();
  const chosen: string[] = [];
  for (let at = 0; chosen.length < count; at++) {
    const address = `purse:p${at}`;
    if (!node.owns(address)) chosen.push(address);
  }
  await Promise.all(chosen.map((address) => node.ask(address, OPEN, { withinMs: WITHIN_MS })));
  purses = chosen;
}

async function run(command: Extract<ToAskNode, { type: 'run' }>): Promise<AskResult> {
  const event = command.event === 'debit' ? DEBIT : SHOW;
  const options = { withinMs: WITHIN_MS };
  return askLoop((turn) => node.ask(purses[turn % purses.length] as string, event, options), command);
}

function say(message: FromAskNode): void {
  process.send?.(message);
}

process.on('message', (command: ToAskNode) => {
  if (command.type === 'open') void open(command.purses).then(() => say({ type: 'opened' }));
  else void run(command).then((result) => say({ type: 'ran', result }));
});
process.on('disconnect', () => process.exit(0));
say({ type: 'ready' });
