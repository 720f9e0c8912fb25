/**
 * Every change of a key, its workspace and its account is effective on every gateway within two seconds, on the virtual
 * clock: three gateways that have the old state in their caches are asked all the time. (rule K7)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeAccount } from '../../actors/account/account.ts';
import { admit, changeKey, createKey, editKey, moveKey } from '../../actors/key/key.ts';
import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import type { Admission } from '../../actors/terms/hold.ts';
import { accountAddress, keyAddress, keyDigest, workspaceId } from '../../actors/terms/ids.ts';
import type { Principal } from '../../actors/terms/principal.ts';
import { createWorkspace, setBudget, updateWorkspace } from '../../actors/workspace/workspace.ts';
import config from '../../cluster.config.ts';
import { AccountedBudgets } from '../../gateway/edge/auth/accounted-budgets.ts';
import { type Authenticated, Authentication } from '../../gateway/edge/auth/authentication.ts';
import { ClientAddresses } from '../../gateway/http/client-addresses.ts';
import { Workspaces } from '../../gateway/routing/workspaces.ts';
import { GatewayError } from '../../gateway/terms/gateway-error.ts';
import { Dice } from '../simulation/world/dice.ts';
import { bounded } from '../support/bounded.ts';
import * as words from '../support/model/words.ts';
import { TESTER } from '../support/tester.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { PEPPER, WITHIN_MS, World } from './world.ts';

const it = bounded(test, 120_000);
const EFFECTIVE_MS = 2_000;
/** Between two requests of one gateway. */
const EVERY_MS = 150;
const KEY = `sk-gw-v1-${'a'.repeat(64)}`;
const BY: Principal = { kind: 'system', id: 'test' };
const OPTIONS = { by: BY, withinMs: WITHIN_MS };
const SETTINGS = {
  name: 'Team',
  slug: 'team',
  description: null,
  partition: 'model',
  allowed: null,
  ignored: [],
} as const;

let world: World;
let nodes: VirtualNode[];
let owners = 0;
const random = new Dice(3);
test.before(async () => {
  world = new World();
  nodes = await world.start('n1', 'n2', 'n3');
});
test.after(() => world.nodes.close());

const RATES = { ...config.rates, keyPerMinute: 1_000_000, addressPerMinute: 1_000_000 };
const REMOTE = { socket: { remoteAddress: '10.0.0.1' }, headers: {} };

/** How a gateway answers: `ok`, or the status, with the scope of a 402; behind it what its workspace demands. */
type Told = string;

/** The parts of a gateway that judge a request by its key: authentication, budgets, the workspace's settings, admission. */
class Gateway {
  readonly #node: Cluster;
  readonly #authentication: Authentication;
  readonly #workspaces: Workspaces;

  constructor(node: Cluster, clock: Clock) {
    this.#node = node;
    const budgets = new AccountedBudgets({ cluster: node, rates: RATES, askMs: WITHIN_MS, nodes: 3 });
    const { callersMax, deadKeyMs } = config.edge;
    const clients = new ClientAddresses([]);
    this.#authentication = new Authentication({
      cluster: node,
      budgets,
      clients,
      pepper: PEPPER,
      callersMax,
      deadKeyMs,
    });
    this.#workspaces = new Workspaces(node, clock, config);
  }

  async ask(key: string, generation: string): Promise<Told> {
    const context: Authenticated = {
      ...{ credential: { type: 'key', key }, caller: null, address: null, digest: null, counted: false },
    };
    try {
      await this.#authentication.enter(context, 'key', REMOTE);
    } catch (thrown) {
      if (thrown instanceof GatewayError) return `${thrown.status}`;
      throw thrown;
    }
    if (context.caller === null) throw new Error('a request enters without a caller');
    const { account, workspace = null, key: address } = context.caller;
    const routing = await this.#workspaces.routingOf(account.slice('account:'.length), workspace);
    const request = words.request(generation, '1', {
      ...{ deadlineAt: this.#node.now() + 3_600_000, gateway: this.#node.self.incarnation },
    });
    const options = { perMinute: RATES.keyPerMinute, withinMs: WITHIN_MS };
    const admission = await admit(this.#node, address, request, options);
    if (!admission.admitted) this.#remember(context, admission);
    return `${wordOf(admission)}${routing.zeroRetention ? ' zdr' : ''}`;
  }

  /** As the edge does with every refusal of an admission. */
  #remember(context: Authenticated, { refusal }: Exclude<Admission, { admitted: true }>): void {
    const { status, type, message } = refusal;
    this.#authentication.remember(context, new GatewayError({ status, type, message } as never));
  }
}

function wordOf(admission: Admission): string {
  if (admission.admitted) return 'ok';
  const { status, metadata } = admission.refusal;
  return metadata?.scope === undefined ? `${status}` : `${status} ${metadata.scope}`;
}

function digestOf(key: string): string {
  return keyDigest(PEPPER, key);
}

const gateways = new Map<VirtualNode, Gateway>();
let requests = 0;

/** One request of the key through this node: entered, routed by its workspace, and admitted with a hold of 1 USD. */
async function ask(via: VirtualNode, key: string): Promise<Told> {
  const known = gateways.get(via) ?? new Gateway(via.node, via.process.clock);
  gateways.set(via, known);
  return known.ask(key, `gen-${++requests}`);
}

interface Place {
  readonly node: Cluster;
  readonly account: string;
  readonly key: string;
  /** Key text. */
  readonly text: string;
  /** The key's workspace, and one whose requests need endpoints without data retention. */
  readonly team: string;
  readonly strict: string;
}

/** An account with a key in a workspace of its own. */
async function place(): Promise<Place> {
  const [first] = nodes as [VirtualNode];
  const account = await world.fund(first, `acct_${++owners}`);
  const [team, strict] = [workspaceId(random), workspaceId(random)];
  for (const [id, zeroRetention] of [
    [team, false],
    [strict, true],
  ] as const) {
    await createWorkspace(first.node, { account, id, ...OPTIONS }, { ...SETTINGS, slug: id, zeroRetention });
  }
  const text = `${KEY.slice(0, -4)}${owners.toString().padStart(4, '0')}`;
  const key = keyAddress(account, 'key_2');
  const { type: _, ...made } = words.createKeyEvent({ digest: digestOf(text), workspace: team });
  await createKey(first.node, key, made as never, WITHIN_MS);
  return { node: first.node, account, key, text, team, strict };
}

/** Asks every gateway until the change is `over`; returns, per answer, the last time at which it was given. */
async function watch(text: string, isOver: () => boolean): Promise<Map<Told, number>> {
  const last = new Map<Told, number>();
  await Promise.all(
    nodes.map(async (node) => {
      while (!isOver()) {
        const at = world.nodes.clock.monotonic();
        const told = await ask(node, text);
        last.set(told, Math.max(last.get(told) ?? 0, at));
        await world.nodes.pause(EVERY_MS);
      }
    }),
  );
  return last;
}

interface Change {
  /** What a request is answered before the change, and after it. */
  readonly before: Told;
  readonly after: Told;
  readonly make: (place: Place) => Promise<unknown>;
  /** Made long before the gateways begin to ask. */
  readonly first?: (place: Place) => Promise<unknown>;
}

const limit = (to: string | null) => (at: Place) => editKey(at.node, at.key, { limit: to, limitWindow: null }, OPTIONS);
const turn = (to: 'disable' | 'enable' | 'revoke') => (at: Place) => changeKey(at.node, at.key, to, WITHIN_MS, TESTER);
const expire = (inMs: number | null) => (at: Place) =>
  editKey(at.node, at.key, { expiresAt: inMs === null ? null : at.node.now() + inMs }, OPTIONS);
const move = (to: 'team' | 'strict' | null) => (at: Place) => moveKey(at.node, at.key, to && at[to], OPTIONS);
const zeroRetention = (to: boolean) => (at: Place) =>
  updateWorkspace(at.node, { account: at.account, id: at.team, ...OPTIONS }, { zeroRetention: to });
const budget = (to: string | null) => (at: Place) =>
  setBudget(at.node, { account: at.account, id: at.team, ...OPTIONS }, { interval: 'daily', limit: to });
const suspend = (at: Place) => changeAccount(at.node, accountAddress(at.account), 'suspend', WITHIN_MS, TESTER);
const resume = (at: Place) => changeAccount(at.node, accountAddress(at.account), 'resume', WITHIN_MS, TESTER);

const CHANGES: Readonly<Record<string, Change>> = {
  'a limit': { before: 'ok', after: '402 key', make: limit('0') },
  'the removal of a limit': { before: '402 key', after: 'ok', first: limit('0'), make: limit(null) },
  'a disabled key': { before: 'ok', after: '401', make: turn('disable') },
  'an enabled key': { before: '401', after: 'ok', first: turn('disable'), make: turn('enable') },
  'a revoked key': { before: 'ok', after: '401', make: turn('revoke') },
  'an expiry': { before: 'ok', after: '401', make: expire(0) },
  'the removal of an expiry': { before: '401', after: 'ok', first: expire(0), make: expire(null) },
  'a key moved to another workspace': { before: 'ok', after: 'ok zdr', make: move('strict') },
  'a key moved to the default workspace': { before: 'ok zdr', after: 'ok', first: move('strict'), make: move(null) },
  'a setting of the workspace': { before: 'ok', after: 'ok zdr', make: zeroRetention(true) },
  'a setting taken back': { before: 'ok zdr', after: 'ok', first: zeroRetention(true), make: zeroRetention(false) },
  'a budget': { before: 'ok', after: '402 workspace', make: budget('0') },
  'the removal of a budget': { before: '402 workspace', after: 'ok', first: budget('0'), make: budget(null) },
  'a suspended account': { before: 'ok', after: '401', make: suspend },
  'a resumed account': { before: '401', after: 'ok', first: suspend, make: resume },
};

for (const [what, { before, after, make, first }] of Object.entries(CHANGES)) {
  it(`${what} is effective on every gateway within two seconds (rule K7)`, async () => {
    const at = await place();
    await first?.(at);
    if (first) await world.nodes.pause(EFFECTIVE_MS);
    const { clock } = world.nodes;
    let [changedAt, isOver] = [Number.POSITIVE_INFINITY, false];
    const watched = watch(at.text, () => isOver);
    await world.nodes.pause(1_700);
    await make(at);
    changedAt = clock.monotonic();
    await world.nodes.pause(EFFECTIVE_MS + 500);
    isOver = true;
    const last = await watched;
    assert.equal([...last.keys()].sort(), [before, after].sort());
    const staleMs = (last.get(before) as number) - changedAt;
    assert.ok(staleMs <= EFFECTIVE_MS, `${before} ${staleMs} ms after the change`);
  });
}

it('an expiry that was set before takes effect at its time, on every gateway', async () => {
  const at = await place();
  await expire(3_000)(at);
  const expiresAt = at.node.now() + 3_000;
  let isOver = false;
  const watched = watch(at.text, () => isOver);
  await world.nodes.pause(6_000);
  isOver = true;
  const last = await watched;
  assert.equal([...last.keys()].sort(), ['401', 'ok']);
  const offset = at.node.now() - world.nodes.clock.monotonic();
  assert.ok((last.get('ok') as number) + offset <= expiresAt + EVERY_MS, 'no request enters after the expiry');
});

it('a key that was moved while it was disabled is routed by its new workspace from its first request on', async () => {
  const at = await place();
  for (const node of nodes) assert.is(await ask(node, at.text), 'ok');
  await turn('disable')(at);
  let isOver = false;
  const watched = watch(at.text, () => isOver);
  await world.nodes.pause(2_400);
  await move('strict')(at);
  await world.nodes.pause(EFFECTIVE_MS + 1_000);
  await turn('enable')(at);
  await world.nodes.pause(1_000);
  isOver = true;
  assert.equal([...(await watched).keys()].sort(), ['401', 'ok zdr']);
});

test.run();
