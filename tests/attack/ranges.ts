import { Agent, request } from 'node:http';
import { call, jsonOf, pause, post } from '../chaos/call.ts';
import type { Attack, AttackSite } from './attacks.ts';

/** Storms of small ranges: each costs its node a look-up, a key, an open file and a segment, for one byte. */
const FILE_BYTES = 4 * 1024 * 1024;
const LANES = 64;
const POLL_MS = 100;
/** As many as a header holds. */
const MANY = `bytes=${Array.from({ length: 1_500 }, (_, nth) => `${nth * 3}-${nth * 3}`).join(',')}`;

/** Asks for ranges of `path` over open connections, without a pause; the statuses with their counts. */
async function storm({ baseUrl, key, goesOn, strength }: AttackSite, path: string): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const agent = new Agent({ keepAlive: true });
  let nth = 0;
  const one = (): Promise<number> =>
    new Promise((resolve) => {
      const at = (nth++ * 65_537) % FILE_BYTES;
      const range = nth % 50 === 0 ? MANY : `bytes=${at}-${at}`;
      const sent = request(`${baseUrl}${path}`, { agent, headers: { authorization: `Bearer ${key}`, range } });
      sent.on('response', (answer) => {
        const { statusCode = 0 } = answer;
        answer
          .resume()
          .on('error', () => {})
          .on('close', () => resolve(statusCode));
      });
      sent.on('error', () => resolve(0)).end();
    });
  const lane = async (): Promise<void> => {
    do {
      const status = await one();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    } while (goesOn());
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.round(LANES * strength)) }, lane));
  agent.destroy();
  return statuses;
}

/** The path of the content of a new file. */
async function upload({ baseUrl, key }: AttackSite): Promise<string | null> {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new Blob([Buffer.alloc(FILE_BYTES, 'a')]), 'a.txt');
  const answer = await fetch(`${baseUrl}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const { id } = (await answer.json()) as { readonly id?: string };
  return id === undefined ? null : `/files/${id}/content`;
}

/** The path of the content of a new clip, once it is rendered. */
async function render({ baseUrl, key }: AttackSite): Promise<string | null> {
  const prompt = `A lake. @sim ${JSON.stringify({ render_ms: 0, bytes: FILE_BYTES })}`;
  const body = { model: 'sim/filmstrip', prompt, duration: 4, resolution: '480p' };
  const id = jsonOf<{ readonly id?: string }>(await post(baseUrl, key, '/videos', body))?.id;
  for (let status: string | undefined = 'pending'; id !== undefined; await pause(POLL_MS)) {
    if (status === 'completed') return `/videos/${id}/content`;
    if (status === 'failed') return null;
    status = jsonOf<{ readonly status: string }>(await call(baseUrl, key, `/videos/${id}`))?.status ?? status;
  }
  return null;
}

function ranges(name: string, make: (site: AttackSite) => Promise<string | null>): Attack {
  return {
    name,
    run: async (site) => {
      const path = await make(site);
      if (path === null) return 'there is nothing to read';
      const statuses = await storm(site, path);
      return statuses.has(500) ? `answered 500 ${statuses.get(500)} times` : null;
    },
  };
}

export const RANGE_ATTACKS: readonly Attack[] = [
  ranges('small ranges of a file', upload),
  ranges('small ranges of a clip', render),
];
