import type { Payer } from './workload.ts';

/** One plain request outside the history: its status, and what it was advised. */
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
