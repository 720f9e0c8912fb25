/**
 * What a page calls the things that its rows refer to by id: keys by their name, sessions by their browser, endpoints by
 * their provider. Names are read from rows of the store and from the board, so no actor wakes for one; the id is the
 * title of each.
 */
import { firstEntryOf } from '../../../actors/audit/audit.ts';
import type { AuditEntry } from '../../../actors/audit/audit-entry.ts';
import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import type { Credential } from '../../../actors/key/credential.ts';
import { listKeys } from '../../../actors/key/credential.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { accountAddress, keyAddress } from '../../../actors/terms/ids.ts';
import type { Principal } from '../../../actors/terms/principal.ts';
import { priceLines } from '../catalogue/price-text.ts';
import { type Html, html } from '../kit/html.ts';
import type { PrivateVisit } from '../kit/page-route.ts';
import type { Option } from '../kit/parts/fields.ts';
import { browserText, shortId } from '../kit/parts/text.ts';

/** Names by the address of what they name. */
export class Names {
  readonly #names: ReadonlyMap<string, string>;

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
  }

  /** The name alone; the id where there is none. */
  textOf(address: string): string {
    return this.#names.get(address) ?? localOf(address);
  }

  /** A key, as a link to its page. */
  key(address: string): Html {
    const name = this.textOf(address);
    return html`<a class="name" href="/account/keys/${localOf(address)}" title="${name}, ${localOf(address)}">${name}</a>`;
  }

  /** What an address stands for; its short form where it has no name. */
  of(address: string): Html {
    if (address.startsWith('key:')) return this.key(address);
    const name = this.#names.get(address);
    if (name !== undefined) return html`<span title="${address}">${name}</span>`;
    const common = COMMON[address.slice(0, address.indexOf(':'))];
    return common === undefined ? shortId(address) : html`<span title="${address}">${common}</span>`;
  }

  /** Who made a change. */
  principal({ kind, id }: Principal): Html {
    if (kind === 'key' || kind === 'session') return html`${kind === 'key' ? 'key ' : ''}${this.of(id)}`;
    return html`${kind} ${id}`;
  }
}

/** What is said of an address without a name of its own. */
const COMMON: Readonly<Record<string, string>> = { session: 'a browser', account: 'this account' };

/** The names of these addresses, as far as they belong to the account of the visit. One row is read for each. */
export async function namesOf(
  { services, session }: PrivateVisit,
  addresses: Iterable<string | null | undefined>,
): Promise<Names> {
  const { rows } = services.cluster;
  const own = [...new Set(addresses)].filter(
    (address): address is string => typeof address === 'string' && address.includes(':') && isOwn(address, session),
  );
  const named = await Promise.all(own.map(async (address) => [address, await nameOf(rows, address)] as const));
  return new Names(new Map(named.filter((pair): pair is readonly [string, string] => pair[1] !== null)));
}

function isOwn(address: string, { account }: PrivateVisit['session']): boolean {
  return ownerOf(address) === account;
}

type Rows = PrivateVisit['services']['cluster']['rows'];

async function nameOf(rows: Rows, address: string): Promise<string | null> {
  const kind = address.slice(0, address.indexOf(':'));
  if (kind === 'key') return titleOf(await firstRow<Credential>(rows, 'credential', address));
  if (kind === 'session') {
    const opened = await firstEntryOf(rows, ownerOf(address), address);
    return opened === null ? null : browserText(agentOf(opened));
  }
  if (kind !== 'workspace') return null;
  return (await firstRow<{ readonly name: string }>(rows, 'workspace', address))?.name ?? null;
}

async function firstRow<T>(rows: Rows, collection: string, address: string): Promise<T | null> {
  const [row] = await rows.rows({ collection, address, limit: 1 });
  return row === undefined ? null : (JSON.parse(row.body) as T);
}

function titleOf(credential: Credential | null): string | null {
  if (credential === null) return null;
  return credential.name === '' ? credential.label : credential.name;
}

function agentOf({ detail }: AuditEntry): string {
  const { agent } = detail as { readonly agent?: string };
  return agent ?? '';
}

/** Keys that a choice lists at most. */
const KEYS_LISTED_MAX = 100;

/** The newest keys of the account as the options of a choice, and the chosen one among them. */
export async function keyOptions({ context, services, session }: PrivateVisit): Promise<readonly Option[]> {
  const { cluster } = services;
  const keys = await listKeys(cluster, accountAddress(session.account), KEYS_LISTED_MAX);
  const options = keys.map((key) => ({ value: localOf(key.key), text: titleOf(key) as string }));
  const chosen = new URLSearchParams(context.query).get('key');
  if (chosen === null || !/^key_\w{1,64}$/.test(chosen) || options.some(({ value }) => value === chosen))
    return options;
  const name = await nameOf(cluster.rows, keyAddress(session.account, chosen));
  return name === null ? options : [...options, { value: chosen, text: name }];
}

/** An endpoint by its provider, with what tells two of its endpoints apart; the catalogue shows the model. */
export function endpointText({ services }: Pick<PrivateVisit, 'services'>, id: string, provider: string): Html {
  const endpoint = endpointOf(services, id);
  const name = endpoint?.provider.name ?? provider;
  const apart = endpoint?.quantization ?? null;
  return html`<span title="${id}">${name}${apart !== null && ` ${apart}`}</span>`;
}

/** The prices of a tariff while the endpoint still has them. */
export function tariffText({ services }: Pick<PrivateVisit, 'services'>, id: string, tariff: string): Html {
  const current = endpointOf(services, id)?.tariff;
  if (current === undefined || current.id !== tariff) {
    return html`<span title="${tariff}">of that time; the endpoint has others now</span>`;
  }
  const lines = priceLines(current).map(({ name, price, per }) => `${name} ${price} per ${per}`);
  return html`<span title="${tariff}">${lines.length === 0 ? 'none declared' : lines.join(', ')}</span>`;
}

function endpointOf(services: PrivateVisit['services'], id: string): Endpoint | undefined {
  return endpointsOn(services.cluster.board).get(id) as Endpoint | undefined;
}

/** The last part of an address: its own id. */
export function localOf(address: string): string {
  return address.slice(address.indexOf('/') + 1);
}
