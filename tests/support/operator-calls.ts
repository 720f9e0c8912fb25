/** Calls the operator API of one node, as scripts do. */
import { paced } from './pace.ts';

const ANSWER_MS = 20_000;

interface NodeAddress {
  readonly operator_url: string;
}

/** The answer of a route, a POST where there is a body. Rejects with the words of a refusal, or if the node does not answer. */
export async function callOperator<T>(
  { operator_url }: NodeAddress,
  token: string,
  path: string,
  { body, withinMs = ANSWER_MS }: { readonly body?: object; readonly withinMs?: number } = {},
): Promise<T> {
  const response = await fetch(`${operator_url}${path}`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
    signal: AbortSignal.timeout(paced(withinMs)),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as T;
}
