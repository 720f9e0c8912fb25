/** Rule 1 when a node is killed: conversations that were moved stay moved, also on the node that is started instead. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { buildFirst } from '../support/cluster/build-first.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { limit, paced } from '../support/pace.ts';

const it = bounded(test, 240_000);
const SLUGS: Readonly<Record<string, string>> = { 'Sim A': 'sim-a', 'Sim B': 'sim-b' };
const CONVERSATIONS = 3;
/** The guarantee: within a second of the answer every node knows. */
const KNOWN_AFTER_MS = 1_000;
/** Longer than any takeover. */
const ANSWERED_MS = 30_000;
const RETRY_MS = 100;
const RESTARTED_MS_MAX = 60_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One turn on a connection of its own, which the launcher hands to any node; repeated while a takeover refuses it. */
async function turn(cluster: LaunchedCluster, conversation: string, directive: object = {}): Promise<string> {
  let last = '';
  for (const leftMs = limit(ANSWERED_MS); leftMs() > 0; ) {
    try {
      const answer = await fetch(`${cluster.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${cluster.connection()?.api_key}`,
          'content-type': 'application/json',
          connection: 'close',
        },
        body: JSON.stringify({
          model: 'sim/fast',
          messages: [{ role: 'user', content: `@sim ${JSON.stringify({ tokens: 2, ...directive })}` }],
          max_tokens: 20,
          session_id: conversation,
        }),
      });
      last = await answer.text();
      if (answer.status === 200) return (JSON.parse(last) as { provider: string }).provider;
    } catch (error) {
      last = String(error);
    }
    await pause(RETRY_MS);
  }
  throw new Error(`no answer: ${last}`);
}

it('a killed node takes no conversation with it (rule I126)', async () => {
  await buildFirst();
  const cluster = await LaunchedCluster.start({ rates: UNLIMITED, demo: { simulators: 2 } });
  try {
    const served = new Map<string, string>();
    for (let n = 0; n < CONVERSATIONS; n++) {
      const first = await turn(cluster, `talk-${n}`);
      served.set(`talk-${n}`, await turn(cluster, `talk-${n}`, { only_on: SLUGS[first], status: 500 }));
      assert.is.not(served.get(`talk-${n}`), first);
    }
    await pause(paced(KNOWN_AFTER_MS));
    const staysAt = async (when: string): Promise<void> => {
      for (const [conversation, provider] of served) {
        for (let n = 0; n < 6; n++) assert.is(await turn(cluster, conversation), provider, `${conversation} ${when}`);
      }
    };
    await staysAt('before the kill');
    for (const name of cluster.connection()?.nodes.map((node) => node.name) ?? []) {
      const pidOf = (): number | undefined => cluster.connection()?.nodes.find((node) => node.name === name)?.pid;
      const killed = pidOf() as number;
      process.kill(killed, 'SIGKILL');
      await staysAt(`after the kill of ${name}`);
      const leftMs = limit(RESTARTED_MS_MAX);
      while (pidOf() === undefined || pidOf() === killed) {
        assert.ok(leftMs() > 0, `${name} is started again`);
        await pause(RETRY_MS);
      }
      await staysAt(`after the restart of ${name}`);
    }
  } finally {
    await cluster.stop();
  }
});

test.run();
