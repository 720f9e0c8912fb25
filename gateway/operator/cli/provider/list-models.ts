/** Reads a provider's own list of models, page by page, as its wire answers it. */
import { systemClock } from '../../../../actors/runtime/index.ts';
import { wireOf } from '../../../catalogue/document/wire-of.ts';
import { entriesIn, idOf, type ListedModel, listedModels } from '../../../catalogue/listed/listed-models.ts';
import type { Preset } from '../../../catalogue/presets/presets.ts';
import { signedHeaders } from '../../../outbound/credentials.ts';
import { type Outbound, type OutboundCall, outboundUrl } from '../../../outbound/outbound.ts';
import { OutboundError } from '../../../outbound/outbound-error.ts';
import { credentialsOf, modelListOf } from '../../../providers/call/target.ts';
import type { ModelList } from '../../../providers/model-list.ts';
import type { ProviderDeclaration } from '../../../terms/provider-declaration.ts';
import { ConfigError } from '../../config/config-error.ts';

/** The provider whose list is read. */
interface ListedProvider {
  readonly outbound: Outbound;
  readonly preset: Preset;
  readonly provider: ProviderDeclaration;
  readonly key: string | null;
  /** Where the key was read; absent: there is none. */
  readonly keyFile?: string | undefined;
  /** Ids of the models to take; absent: all of the list. */
  readonly named?: readonly string[] | undefined;
}

interface OwnList {
  readonly models: readonly ListedModel[];
  /** Ids in the list that answer no conversation; none where models are named. */
  readonly others: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const LIST_MS = 30_000;
/** Of one page. */
const LIST_BYTES_MAX = 16 * 1024 * 1024;
/** Of the largest pages that a wire has: 32,000 models. */
const PAGES_MAX = 32;
const ASKING = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'troupe'];

/** The models that the provider lists, or of these the named ones; without a list the named ones. @throws ConfigError */
export async function listOf(listing: ListedProvider): Promise<OwnList> {
  const { preset, named, provider } = listing;
  const list = modelListOf({ target: { ...provider, dialect: preset.dialect, upstreamId: '' } });
  if (list === undefined) {
    if (named !== undefined) return { models: named.map(unlisted), others: [] };
    throw new ConfigError(`${provider.preset} has no list of models; name them with --models ID,ID`);
  }
  const entries = await entriesOf(listing, list);
  if (named === undefined) return listedModels(await withDetails(listing, list, entries));
  const unknown = named.find((id) => !entries.some((entry) => idOf(entry) === id));
  if (unknown !== undefined) {
    throw new ConfigError(`--models names ${unknown}, which ${addressOf(listing, list.path)} does not list`);
  }
  const taken = entries.filter((entry) => named.includes(idOf(entry)));
  const { models } = listedModels(await withDetails(listing, list, taken));
  return { models: named.map((id) => models.find((one) => one.id === id) ?? unlisted(id)), others: [] };
}

function unlisted(id: string): ListedModel {
  return { id, name: id, readsPictures: false, reasons: false };
}

async function entriesOf(listing: ListedProvider, { path, pages }: ModelList): Promise<readonly Members[]> {
  const all: Members[] = [];
  const address = addressOf(listing, path);
  let query: Readonly<Record<string, string>> = pages?.size ?? {};
  for (let page = 0; page < PAGES_MAX; page++) {
    const { status, text } = await sent(listing, { method: 'GET', path, query, body: null });
    if (status !== 200) throw new ConfigError(refusalWords(status, listing, address));
    const answer = parsed(text, address);
    const entries = entriesIn(answer);
    if (entries === null) throw new ConfigError(`${address} answers no list of models; check --base-url and --preset`);
    all.push(...entries);
    const next = pages?.next(answer as Members) ?? null;
    if (next === null) return all;
    query = { ...pages?.size, ...next };
  }
  throw new ConfigError(`${address} has more than ${PAGES_MAX} pages of models; check --base-url`);
}

/** Each entry with what the wire tells of its model; one that it tells nothing of stays as it was listed. */
async function withDetails(
  listing: ListedProvider,
  { details }: ModelList,
  entries: readonly Members[],
): Promise<readonly Members[]> {
  if (details === undefined) return entries;
  const told: Members[] = [];
  for (const entry of entries) {
    const { path, body } = details(idOf(entry));
    const { status, text } = await sent(listing, { method: 'POST', path, query: {}, body });
    const more = status === 200 ? (parsed(text, addressOf(listing, path)) as Members) : {};
    told.push({ ...entry, ...more });
  }
  return told;
}

interface Asked extends Pick<OutboundCall, 'method' | 'body'> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

async function sent(
  listing: ListedProvider,
  { path, query, ...asked }: Asked,
): Promise<{ readonly status: number; readonly text: string }> {
  const { outbound, preset, provider, key } = listing;
  const { baseUrl } = provider;
  const wire = wireOf(provider, {}, []);
  const target = { dialect: preset.dialect, baseUrl, upstreamId: '', ...(wire === undefined ? {} : { wire }) };
  const typed = asked.body === null ? [] : ['content-type', 'application/json'];
  const call = {
    ...asked,
    url: outboundUrl(baseUrl, path, { ...wire?.query, ...query }),
    headers: [...ASKING, ...typed],
  };
  try {
    const headers = await signedHeaders(credentialsOf({ target }, key), { ...call, clock: systemClock, outbound });
    const ms = LIST_MS;
    const limits = { connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms, bodyBytesMax: LIST_BYTES_MAX };
    const reply = await outbound.send({ ...call, headers, limits });
    return { status: reply.status, text: await reply.body.text() };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new ConfigError(
      `${addressOf(listing, path)} cannot be reached (${error.message}); check --base-url and the network`,
    );
  }
}

function addressOf({ provider }: ListedProvider, path: string): string {
  return `${provider.baseUrl.replace(/\/+$/, '')}${path}`;
}

/** @throws ConfigError */
function parsed(text: string, address: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(`${address} answers no JSON; check --base-url`);
  }
}

function refusalWords(status: number, { keyFile }: ListedProvider, address: string): string {
  if (status !== 401 && status !== 403) return `${address} answers ${status}; check --base-url and --preset`;
  const remedy = keyFile === undefined ? 'give its key with --key-file FILE' : `check the key in --key-file ${keyFile}`;
  return `the provider refuses the call (${address} answers ${status}); ${remedy}`;
}
