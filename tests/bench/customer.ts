/** One account that uses everything that lists show, over the API of a running cluster. */
import { openAccounts } from '../chaos/bank.ts';
import { call, jsonOf, pause, post } from '../chaos/call.ts';
import type { HookReceiver } from '../chaos/hook-receiver.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import type { Original } from './copies.ts';

/** Of these are a batch's lines and a render; all others are chats. */
export const GENERATIONS = 100;
/** The account, its key, its logs of changes and refusals, a batch, three files, a video, its webhook and the secret that signs it. */
export const ACTORS = 11;
export const SESSIONS = 9;
export const MODELS = ['sim/echo', 'sim/fast', 'sim/tools', 'sim/no-usage', 'sim/small', 'sim/structured'] as const;
const LINES = 8;
const FAILED = 4;
const DEAR = 2;
const CANCELLED = 3;
const UPLOADS = 2;
const POLL_MS = 100;
const END_MS = 60_000;

/** The nth session of an account. */
export function sessionOf(account: string, nth: number): string {
  return `talk-${account}-${nth}`;
}

/** The receiver of the customer's webhooks has to be among the allowed targets of the cluster. */
export async function runCustomer(cluster: LaunchedCluster, hooks: HookReceiver): Promise<Original> {
  const name = 'Customer 0000000';
  const [payer] = await openAccounts(cluster, 1, '1000000', name);
  if (payer === undefined) throw new Error('no account was opened');
  const client = { base: cluster.baseUrl, key: payer.key };
  const account = payer.account.slice('account:'.length);
  const chats = GENERATIONS - LINES - 1;
  for (let nth = 0; nth < chats; nth++) {
    const session_id = sessionOf(account, nth % SESSIONS);
    const model = MODELS[nth % MODELS.length] as string;
    if (nth < FAILED) await chat(client, { model, session_id, sim: { status: 400 }, expect: 400 });
    else if (nth < FAILED + DEAR)
      await chat(client, { model, session_id, sim: { usage: { completion_tokens: 9_000_000 } } });
    else if (nth < FAILED + DEAR + CANCELLED) await leave(client, { model, session_id });
    else await chat(client, { model, session_id, sim: { tokens: 8 } });
  }
  for (let nth = 0; nth < UPLOADS; nth++) await upload(client, nth);
  await Promise.all([batch(client), video(client, `${hooks.origin}/hooks`)]);
  await until(() => hooks.posts.some(({ status }) => status === 204), 'the webhook');
  return { account: payer.account, key: payer.key, name };
}

interface Client {
  readonly base: string;
  readonly key: string;
}

interface Chat {
  readonly model: string;
  readonly session_id: string;
  readonly sim?: object;
  readonly expect?: number;
}

function bodyOf({ model, session_id, sim = {} }: Chat): object {
  const content = `Which river runs through it? @sim ${JSON.stringify(sim)}`;
  return { model, session_id, max_tokens: 64, messages: [{ role: 'user', content }] };
}

async function chat({ base, key }: Client, given: Chat): Promise<void> {
  const { status, bytes } = await post(base, key, '/chat/completions', bodyOf(given));
  if (status !== (given.expect ?? 200)) throw new Error(`a chat was answered ${status} ${bytes.toString()}`);
}

/** Ends the connection after the first parts of a stream. */
async function leave({ base, key }: Client, given: Chat): Promise<void> {
  const body = { ...bodyOf({ ...given, sim: { tps: 20, tokens: 60 } }), stream: true };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const aborted = new AbortController();
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal: aborted.signal };
  const answer = await fetch(`${base}/chat/completions`, init);
  await answer.body?.getReader().read();
  aborted.abort();
}

async function upload({ base, key }: Client, nth: number): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([`file ${nth}`]), `${nth}.txt`);
  const { status } = await fetch(`${base}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  if (status !== 200) throw new Error(`an upload was answered ${status}`);
}

async function batch(client: Client): Promise<void> {
  const { base, key } = client;
  const requests = Array.from({ length: LINES }, (_, nth) => ({
    custom_id: `line-${nth}`,
    body: { model: 'sim/fast', max_tokens: 8, messages: [{ role: 'user', content: 'Hello' }] },
  }));
  const { id } =
    jsonOf<{ id: string }>(await post(base, key, '/batches', { endpoint: '/v1/chat/completions', requests })) ?? {};
  await ended(client, `/batches/${id}`);
}

async function video(client: Client, callback_url: string): Promise<void> {
  const body = { model: 'sim/filmstrip', prompt: 'A lake.', duration: 1, resolution: '480p', callback_url };
  const { id } = jsonOf<{ id: string }>(await post(client.base, client.key, '/videos', body)) ?? {};
  await ended(client, `/videos/${id}`);
}

function ended({ base, key }: Client, path: string): Promise<void> {
  return until(async () => jsonOf<{ status: string }>(await call(base, key, path))?.status === 'completed', path);
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > END_MS) throw new Error(`${what} did not end`);
    await pause(POLL_MS);
  }
}
