import { Type } from 'typebox';
import { type ActorsQuery, type Cluster, kindOf, ownerOf, parseAddress } from '../../../actors/runtime/index.ts';
import { KIND_TAB, type TabAsked } from '../actor-page/kind-tab.ts';
import { tabOfKind } from '../actor-page/kind-tabs.ts';
import { explained } from '../explained.ts';
import { findAddress, kindOfId } from '../find-address.ts';
import { isAbsent, isInvalid, OperatorFault, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import { accountNamed } from '../lists/named.ts';
import { ActorNames } from '../names.ts';
import { actorView } from './actor-view.ts';

const LIST = listQuery({
  kind: Type.Optional(Type.String({ description: 'kind of actor' })),
  state: Type.Optional(
    Type.String({
      description: 'a state at any depth, `open` or `open.paused`; several regions joined by a plus; or `quarantined`',
    }),
  ),
  account: Type.Optional(Type.String({ description: 'id, address or whole name of the account that it belongs to' })),
  node: Type.Optional(Type.String({ description: 'name of the node that serves it' })),
  order: Type.Optional(
    Type.Union([Type.Literal('address'), Type.Literal('age'), Type.Literal('newest')], {
      description: '`age`: longest in its state first; `newest`: the reverse; absent: `address`, of a state `age`',
    }),
  ),
});
/** Of an actor whose stored state does not load. */
const QUARANTINED = 'quarantined';
const PLACE = Type.Object({ since: Type.Number(), address: Type.String() });

export const actorRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/actors',
    policy: 'viewer',
    summary: 'Stored actors by kind, state, account and node, with the time since which each is in its state.',
    query: LIST,
    answers: listOf(Type.Object({}, { description: 'an actor, without its state' })),
    answer: ({ cluster, query }) => list(cluster, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/actors/:address',
    policy: 'viewer',
    summary:
      'One actor: why it waits, its node, state, rows, mailbox, timers, outbox, activities, last transitions and links.',
    answer: async ({ cluster, params }) => inspected(cluster, named(params.address)),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/actors/:address/tab',
    policy: 'viewer',
    summary:
      "What an actor's kind shows of it: a batch its lines, a video its attempts and clips, a key its limits and holds.",
    query: listQuery({
      status: Type.Optional(Type.String({ description: 'of the rows, where the table has statuses' })),
    }),
    answers: KIND_TAB,
    answer: ({ cluster, params, query }) => tab(cluster, params.address, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/why/:address',
    policy: 'viewer',
    summary: 'Why an actor, a generation or a deposit is in its state, in sentences.',
    answer: async ({ cluster, params }) => {
      const found = await explained(cluster.operator, named(params.address));
      if (found === null) throw isAbsent(params.address);
      return { address: found.address, state: found.state, why: found.explanation };
    },
  }),
];

interface ListFilter {
  readonly kind?: string;
  readonly state?: string;
  readonly account?: string;
  readonly node?: string;
  readonly order?: 'address' | 'age' | 'newest';
  readonly cursor?: string;
  readonly limit?: number;
}

async function list(cluster: Cluster, { account, state, order, ...filter }: ListFilter) {
  const { limit, after } = pageOf(filter, PLACE);
  const { kind, node } = filter;
  const shown = order ?? (state === undefined ? 'address' : 'age');
  if (shown === 'address' && state !== undefined) throw isInvalid('order', 'of a state is `age` or `newest`');
  const owner = account === undefined ? account : ownerOf(await accountNamed(cluster.rows, account));
  if (state === QUARANTINED) return quarantined(cluster, given({ kind, node, owner }));
  const query = {
    ...given({ kind, node, owner }),
    ...(after === null ? {} : { after }),
    limit,
  };
  const byTime = { order: 'since', newestFirst: shown === 'newest', ...given({ state }) } as const;
  const { actors, next } = await read(cluster, { ...query, ...(shown === 'address' ? { order: shown } : byTime) });
  const names = new ActorNames(cluster.rows);
  const data = await Promise.all(actors.map(async (one) => ({ ...one, label: await names.of(one.address) })));
  return walked(data, next);
}

/** The nodes that could not load them know these; the store has the states that they were in before. */
async function quarantined({ operator, rows }: Cluster, wanted: Readonly<Record<string, string>>) {
  const { quarantined: all } = await operator.ps();
  const names = new ActorNames(rows);
  const listed = all.map(({ address, node }) => {
    return { address, kind: kindOf(address), owner: ownerOf(address), state: QUARANTINED, since: null, node };
  });
  const fitting = listed.filter((one) =>
    Object.entries(wanted).every(([name, value]) => one[name as keyof typeof one] === value),
  );
  const data = fitting.map(async ({ owner, ...one }) => ({ ...one, label: await names.of(one.address) }));
  return walked(await Promise.all(data), null);
}

async function read({ operator }: Cluster, query: ActorsQuery) {
  try {
    return await operator.actors(query);
  } catch (error) {
    if (error instanceof RangeError) throw isInvalid('node', `names no node: ${error.message}`);
    throw error;
  }
}

function given<M extends Readonly<Record<string, string | undefined>>>(members: M): { [K in keyof M]?: string } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof M]?: string;
  };
}

async function inspected(cluster: Cluster, name: string): Promise<object> {
  const address = await findAddress(cluster.operator, name);
  const found = address === null ? null : await cluster.operator.inspect(address);
  if (found === null) throw isAbsent(name);
  return actorView(cluster, found);
}

async function tab(cluster: Cluster, name: string, asked: TabAsked) {
  const address = await findAddress(cluster.operator, named(name));
  const found = address === null ? null : await cluster.operator.inspect(address);
  if (address === null || found === null) throw isAbsent(name);
  const kind = tabOfKind(found.kind);
  if (kind === null) throw new OperatorFault(404, 'no_tab', `${found.kind} has no tab of its own`);
  return kind.read(cluster, found, asked);
}

/** An address, or an id that names an actor without its account. */
export function named(name: string): string {
  if (parseAddress(name) !== null || kindOfId(name) !== null) return name;
  throw isInvalid('address', 'must be kind:owner or kind:owner/local, or an id such as batch_...');
}
