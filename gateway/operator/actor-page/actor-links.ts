/** The actors that an actor talks to, with the reason. */
import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import {
  type Cluster,
  type Inspection,
  type Json,
  kindOf,
  ownerOf,
  parseAddress,
} from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { accountAddress, providerAddress } from '../../../actors/terms/ids.ts';
import { findAddress, kindOfId } from '../find-address.ts';
import type { ActorNames } from '../names.ts';
import { deliveriesOf } from '../timeline/jobs-of.ts';

const LINKS_MAX = 50;
const OWNED_MAX = 25;
/** Ids that one answer looks up, each in an index. */
const IDS_LOOKED_UP_MAX = 50;
const TEXT_CHARS_MAX = 256;

interface Link {
  readonly address: string;
  readonly label: string | null;
  readonly because: string;
}

interface Mention {
  readonly text: string;
  readonly because: string;
}

/** Actors that belong to it, and those that its redacted state, open rows or outbox name, by address or by id. */
export async function linksOf(cluster: Cluster, found: Inspection, names: ActorNames): Promise<readonly Link[]> {
  const kinds = new Set(cluster.operator.charts().map(({ kind }) => kind));
  const links = new Map<string, string>();
  let lookUps = 0;
  for (const { text, because } of [...(await relatedTo(cluster, found)), ...mentionsIn(found)]) {
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

/** What no text of its state names. */
async function relatedTo(cluster: Cluster, { kind, address }: Inspection): Promise<readonly Mention[]> {
  switch (kind) {
    case 'account':
      return ownedBy(cluster, ownerOf(address));
    case 'video-job':
      return (await deliveriesOf(cluster.rows, address)).map(({ id }) => ({
        text: id,
        because: 'it tells of its end',
      }));
    case 'endpoint':
    case 'provider':
      return sellingWith(cluster, ownerOf(address));
    default:
      return [];
  }
}

/** The actors of an account that changed state last. */
async function ownedBy({ operator }: Cluster, owner: string): Promise<readonly Mention[]> {
  const { actors } = await operator.actors({ order: 'since', newestFirst: true, owner, limit: OWNED_MAX });
  return actors.map(({ address }) => ({ text: address, because: 'it belongs to this account' }));
}

/** Of an endpoint its provider, of a provider its endpoints. `name`: an id or a slug. */
function sellingWith({ board }: Cluster, name: string): readonly Mention[] {
  const endpoints = [...endpointsOn(board).values()] as unknown as readonly Endpoint[];
  return endpoints.flatMap(({ id, provider: { slug } }): readonly Mention[] => {
    if (id === name) return [{ text: providerAddress(slug), because: 'it sells this endpoint' }];
    return slug === name ? [{ text: id, because: 'an endpoint of this provider' }] : [];
  });
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
