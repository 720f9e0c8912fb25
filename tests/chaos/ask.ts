import type { Payer } from './workload.ts';

/** Sends one plain request that the history does not record: returns its status and Retry-After. */
export async function ask(
  baseUrl: string,
  payer: Payer,
  method: 'GET' | 'POST',
  path: string,
): Promise<{ readonly status: number; readonly retryAfter: string | null }> {
  const headers = { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' };
  const messages = [{ role: 'user', content: 'hello' }];
  const body = method === 'POST' ? { body: JSON.stringify({ model: 'sim/fast', max_tokens: 5, messages }) } : {};
  const response = await fetch(`${baseUrl}${path}`, { method, headers, ...body });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}
