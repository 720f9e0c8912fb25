import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINT_WINDOW, windowAddress } from '../../../actors/rate-window/rate-window.ts';
import defaults from '../../../cluster.config.ts';
import { AccountedBudgets } from '../../../gateway/edge/auth/accounted-budgets.ts';
import { Authentication } from '../../../gateway/edge/auth/authentication.ts';
import { readCredential } from '../../../gateway/edge/auth/request-credential.ts';
import { ClientAddresses } from '../../../gateway/http/client-addresses.ts';
import { readPepper } from '../../../gateway/operator/config/secrets.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';
import { bytesHeld } from '../../support/bytes-held.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/**
 * Any number of random keys, against every table that remembers keys. They enter behind the HTTP server, where the
 * window of the whole endpoint would admit only 6,000 a minute. `ATTACK_RANDOM_KEYS=1000000` runs the attack in full.
 */
const RANDOM_KEYS = Number(process.env.ATTACK_RANDOM_KEYS ?? 10_000);
const AT_ONCE = 500;
/** The bound of the clause. */
const RISE_MIB_MAX = 50;
const MIB = 1024 * 1024;
const it = bounded(test, 30_000 + RANDOM_KEYS * 5);

const { cluster } = await openApi(test, openCluster);

it('random keys leave at most 50 MiB behind, and a bounded number of actors (rule K6)', async () => {
  const node = cluster.nodes[0] as (typeof cluster.nodes)[number];
  const { callersMax, deadKeyMs } = defaults.edge;
  const budgets = new AccountedBudgets({ cluster: node.cluster, rates: defaults.rates, askMs: 10_000, nodes: 1 });
  const pepper = await readPepper(cluster.folder);
  const authentication = new Authentication({
    cluster: node.cluster,
    budgets,
    pepper,
    callersMax,
    deadKeyMs,
    clients: new ClientAddresses([]),
  });
  const attempt = async (at: number): Promise<number> => {
    const key = `sk-gw-v1-${at.toString(16).padStart(64, '0')}`;
    const head = { authorizations: [`Bearer ${key}`], apiKeys: [], hosts: 1, count: 3 };
    const context = { credential: readCredential(head), caller: null, address: null, digest: null, counted: false };
    try {
      await authentication.enter(context, 'key', { socket: { remoteAddress: '10.0.0.1' }, headers: {} });
      return 200;
    } catch (error) {
      return error instanceof GatewayError ? error.status : 0;
    }
  };
  const before = bytesHeld();
  const rssBefore = process.memoryUsage().rss;
  const statuses = new Set<number>();
  for (let at = 0; at < RANDOM_KEYS; at += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => attempt(at + i)));
    for (const status of answers) statuses.add(status);
  }
  const rise = (bytesHeld() - before) / MIB;
  const rss = (process.memoryUsage().rss - rssBefore) / MIB;
  if (process.env.ATTACK_RANDOM_KEYS)
    process.stdout.write(`${RANDOM_KEYS} keys: ${rise.toFixed(1)} MiB held, RSS +${rss.toFixed(1)} MiB\n`);
  // Beyond the keys that one actor counts separately, unknown keys share a budget, and 429 is the correct answer.
  assert.equal(
    [...statuses].filter((status) => status !== 401 && status !== 429),
    [],
  );
  assert.ok(statuses.has(401));
  assert.ok(rise < RISE_MIB_MAX, `${rise.toFixed(1)} MiB more are held`);
});

it('unknown keys are counted by a bounded number of actors (rule K6)', () => {
  const actors = new Set<string>();
  for (let i = 0; i < 100_000; i++) actors.add(windowAddress(`key-${i.toString(16).padStart(64, '0')}`));
  assert.ok(actors.size <= 1_024, `${actors.size} actors`);
  assert.not.ok(actors.has(windowAddress(ENDPOINT_WINDOW)), 'none of the actors counts for the whole endpoint');
});

test.run();
