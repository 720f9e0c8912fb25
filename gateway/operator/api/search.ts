import { Type } from 'typebox';
import { profilesBeginning } from '../../../actors/account/profile.ts';
import { type Cluster, kindOf, parseAddress } from '../../../actors/runtime/index.ts';
import { providerAddress } from '../../../actors/terms/ids.ts';
import { findAddress, kindOfId } from '../find-address.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf } from '../http/pages.ts';
import { ActorNames } from '../names.ts';

const NAMED_MAX = 20;
const TEXT_CHARS_MAX = 256;

export const searchRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/search',
    policy: 'viewer',
    summary: 'What has this address or id; accounts whose name begins so, and the provider with this slug.',
    query: Type.Object({
      q: Type.String({
        minLength: 1,
        maxLength: TEXT_CHARS_MAX,
        description: 'address, id, slug or the beginning of a name, in any case',
      }),
    }),
    answers: listOf(Type.Object({}, { description: 'something found, with its page of the console' })),
    answer: async ({ cluster, query: { q } }) => ({ data: await search(cluster, q.trim()), next: null }),
  }),
];

/** `path` is the page of the console. */
interface Found {
  readonly what: string;
  readonly id: string;
  readonly address: string;
  readonly label: string;
  readonly path: string;
}

/** Each of these is one look-up in an index. */
async function search(cluster: Cluster, text: string): Promise<readonly Found[]> {
  if (text === '') return [];
  const names = new ActorNames(cluster.rows);
  const found = await Promise.all([
    byAddress(cluster, names, text),
    byId(cluster, names, text),
    byAddress(cluster, names, providerAddress(text.toLowerCase())),
    byAccountName(cluster, text),
  ]);
  return found.flat();
}

async function byAddress(cluster: Cluster, names: ActorNames, address: string): Promise<readonly Found[]> {
  if (parseAddress(address) === null || !(await isStored(cluster, address))) return [];
  const what = kindOf(address);
  return [{ what, id: address, address, label: (await names.of(address)) ?? address, path: pathOf(address) }];
}

async function byId(cluster: Cluster, names: ActorNames, id: string): Promise<readonly Found[]> {
  const what = kindOfId(id);
  const address = what === null ? null : await findAddress(cluster.rows, id);
  if (what === null || address === null || !(await isStored(cluster, address))) return [];
  if (what === 'generation') return [{ what, id, address, label: id, path: `/generations/${encodeURIComponent(id)}` }];
  return [{ what, id, address, label: (await names.of(address)) ?? id, path: pathOf(address) }];
}

async function byAccountName({ rows }: Cluster, name: string): Promise<readonly Found[]> {
  const all = await rows.rows({ ...profilesBeginning(name), limit: NAMED_MAX });
  return all.map(({ address, body }) => {
    const { name: label } = JSON.parse(body) as { readonly name: string };
    return { what: 'account', id: address.slice('account:'.length), address, label, path: pathOf(address) };
  });
}

/** The address of an account or an endpoint is made of its id, whether there is one or not. */
async function isStored({ operator }: Cluster, address: string): Promise<boolean> {
  return (await operator.actors({ order: 'address', address, limit: 1 })).actors.length > 0;
}

function pathOf(address: string): string {
  const id = encodeURIComponent(address.slice(address.indexOf(':') + 1));
  switch (kindOf(address)) {
    case 'account':
      return `/accounts/${id}`;
    case 'endpoint':
      return `/endpoints/${id}`;
    default:
      return `/actors/${encodeURIComponent(address)}`;
  }
}
