/** Node processes that are told to end while they run activities: what runs ends, and its result reaches the new owner. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { type NodeProcess, NodeProcesses } from './node-processes.ts';

const it = bounded(test);
/** Longer than shards take to move, and than a node takes to notice that a peer drains. */
const WORK_MS = 3_000;

const ask = async ({ send }: NodeProcess, to: string, event: object): Promise<unknown> => {
  const { body, error } = await send({ do: 'ask', to, event, withinMs: 10_000 });
  if (error !== undefined) throw new Error(String(error));
  return body;
};

/** An address of this kind that the process owns. */
async function ownedBy({ send }: NodeProcess): Promise<string> {
  for (;;) {
    const of = Array.from({ length: 200 }, (_, i) => `sender:s${i}`);
    const { owned } = (await send({ do: 'owned', of })) as { readonly owned?: readonly string[] };
    if (owned?.[0] !== undefined) return owned[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const begun = ({ lines }: NodeProcess): unknown[] => lines.flatMap((line) => ('begun' in line ? [line.begun] : []));

it('SIGTERM: a running activity ends on the node that leaves, and the new owner takes its result', async () => {
  const processes = new NodeProcesses();
  try {
    const [leaving, staying] = ['n1', 'n2'].map((name) => processes.start(name)) as [NodeProcess, NodeProcess];
    await Promise.all([leaving.ready, staying.ready]);
    const actor = await ownedBy(leaving);
    await ask(staying, actor, { type: 'open' });
    await ask(staying, actor, { type: 'work', id: 'w', input: WORK_MS });
    while (begun(leaving).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const at = performance.now();
    leaving.kill('SIGTERM');
    assert.is(await leaving.exited, 0);
    assert.ok(performance.now() - at > WORK_MS / 2, 'it waited for its activity');
    assert.equal(await ask(staying, actor, { type: 'open' }), ['"n1"']);
    assert.equal([begun(leaving), begun(staying)], [[1], []]);
  } finally {
    await processes.close();
  }
});

test.run();
