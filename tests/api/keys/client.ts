import { limit } from '../../support/pace.ts';
import { clientOf } from '../client.ts';

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

export interface Client {
  send(method: string, path: string, body?: object): Promise<Answered>;
  /** Repeats a request until its answer satisfies the condition. */
  until(method: string, path: string, isDone: (answer: Answered) => boolean, body?: object): Promise<Answered>;
}

const LIMIT_MS = 30_000;
const PAUSE_MS = 50;

/** Calls one node with one key. A 503 is repeated: a machine that stalls loses its contact with the store for a while. */
export function client(baseUrls: readonly string[], key: string, node = 0): Client {
  const { ask } = clientOf({ baseUrls }, key);
  const until: Client['until'] = async (method, path, isDone, body) => {
    for (const leftMs = limit(LIMIT_MS); ; await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))) {
      const answer = await ask(path, { method, node, ...(body ? { body } : {}) });
      if (isDone(answer)) return answer;
      if (leftMs() === 0) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    }
  };
  return {
    send: (method, path, body) => until(method, path, ({ status }) => status !== 503, body),
    until,
  };
}
