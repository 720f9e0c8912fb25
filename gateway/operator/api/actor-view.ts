/** One actor as the operator API shows it, with links to the actors that its state names. */
import {
  type Cluster,
  type Inspection,
  type Json,
  kindOf,
  ownerOf,
  parseAddress,
} from '../../../actors/runtime/index.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { findAddress, kindOfId } from '../find-address.ts';
import { ActorNames } from '../names.ts';

const LINKS_MAX = 50;
/** Ids that one answer looks up, each in an index. */
const IDS_LOOKED_UP_MAX = 50;
const TEXT_CHARS_MAX = 256;

/** The answer of `GET /api/actors/:address`. */
export type ActorView = Awaited<ReturnType<typeof actorView>>;

export async function actorView(cluster: Cluster, found: Inspection) {
  const { explanation: why, waiting, activities, deadLetters, ...seen } = found;
  const { address, version, durableVersion } = seen;
  const names = new ActorNames(cluster.rows);
  const [label, links, stored] = await Promise.all([
    names.of(address),
    linksOf(cluster, found, names),
    cluster.operator.actors({ order: 'address', address, limit: 1 }),
  ]);
  const lane = (...of: readonly string[]) => waiting.filter((one) => of.includes(one.lane));
  return {
    ...seen,
    since: stored.actors[0]?.since ?? null,
    label,
    why,
    uncommitted: version - durableVersion,
    mailbox: { system: lane('deferred', 'system'), finish: lane('finish'), start: lane('start') },
    activities: activities.map(({ runner, runnerNode, begun: running, lastFailure, ...activity }) => ({
      ...activity,
      running,
      runner: runnerNode ?? runner,
      incarnation: runner,
      failure: failureIn(lastFailure),
    })),
    deadLetters: deadLetters.map(({ failure: reason, ...letter }) => ({ ...letter, reason })),
    links,
  };
}

function failureIn(text: string | null): { readonly code: string; readonly message: string } | null {
  if (text === null) return null;
  const [, code = 'failed', message = text] = /^([a-z][\w-]*): (.*)$/s.exec(text) ?? [];
  return { code, message };
}

interface Link {
  readonly address: string;
  readonly label: string | null;
  readonly because: string;
}

interface Mention {
  readonly text: string;
  readonly because: string;
}

/** Actors that the redacted state, the open rows or the outbox name, by address or by id. */
async function linksOf(cluster: Cluster, found: Inspection, names: ActorNames): Promise<readonly Link[]> {
  const kinds = new Set(cluster.operator.charts().map(({ kind }) => kind));
  const links = new Map<string, string>();
  let lookUps = 0;
  for (const { text, because } of mentionsIn(found)) {
    if (links.size >= LINKS_MAX) break;
    const isId = kindOfId(text) !== null;
    if (isId && ++lookUps > IDS_LOOKED_UP_MAX) continue;
    if (!isId && !(parseAddress(text) !== null && kinds.has(kindOf(text)))) continue;
    const address = await findAddress(cluster.rows, text);
    if (address !== null && address !== found.address && !links.has(address)) links.set(address, because);
  }
  return Promise.all(
    [...links].map(async ([address, because]) => ({ address, label: await names.of(address), because })),
  );
}

function* mentionsIn({ address, context, rows, outbox }: Inspection): Generator<Mention> {
  const owner = ownerOf(address);
  if (owner.startsWith('acct_')) yield { text: accountAddress(owner), because: 'it belongs to this account' };
  for (const { to, event } of outbox) yield { text: to, because: `the message ${event} is on its way to it` };
  yield* textsIn(context, 'its state names it', '');
  for (const [collection, all] of Object.entries(rows)) {
    for (const { id, body } of all) {
      yield { text: id, because: `an open row of ${collection}` };
      yield* textsIn(body, `its open row ${id} of ${collection} names it`, '');
    }
  }
}

function* textsIn(value: Json | undefined, because: string, path: string): Generator<Mention> {
  if (typeof value === 'string') {
    if (value.length <= TEXT_CHARS_MAX) yield { text: value, because: path === '' ? because : `${because} as ${path}` };
    return;
  }
  if (value === null || typeof value !== 'object') return;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value as Readonly<Record<string, Json | undefined>>)) {
    yield* textsIn(member, because, isList ? path : path === '' ? name : `${path}.${name}`);
  }
}
