import * as assert from 'uvu/assert';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { type Asked, clientOf as apiOf } from '../client.ts';

export const CHAT = '/v1/chat/completions';

export interface Batch {
  readonly id: string;
  readonly status: string;
  readonly created_at: number;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly results_file_id: string | null;
  readonly results: string | null;
  readonly [member: string]: unknown;
}

export interface Line {
  readonly id: string;
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: { readonly [member: string]: unknown };
  } | null;
  readonly error: {
    readonly type: string;
    readonly code: number | null;
    readonly message: string;
    readonly param: null;
    readonly request_id: string | null;
  } | null;
}

/** The API as one key sees it, with the requests of batches. */
export function clientOf(cluster: TestCluster, key: string) {
  const api = apiOf(cluster, key);
  const json = async (answer: Response | Promise<Response>, status = 200): Promise<never> => {
    const arrived = await answer;
    assert.is(arrived.status, status, await arrived.clone().text());
    return (await arrived.json()) as never;
  };
  const post = (body: string | object, asked: Asked = {}): Promise<Response> =>
    api.send('/batches', { body, ...asked });
  return {
    ...api,
    post,
    json,
    submit: async (body: string | object, asked: Asked = {}): Promise<Batch> => json(post(body, asked), 202),
    show: (id: string, asked: Asked = {}): Promise<Batch> => json(api.send(`/batches/${id}`, asked)),
    /** The batch once it has ended. */
    end: async (id: string): Promise<Batch> => {
      for (;;) {
        const batch: Batch = await json(api.send(`/batches/${id}`));
        if (batch.finalized_at !== null) return batch;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    cancel: (id: string): Promise<Batch> => json(api.send(`/batches/${id}/cancel`, { method: 'POST' })),
  };
}

export type Client = ReturnType<typeof clientOf>;

/** A chat that a simulated provider answers as the directive says. */
export function chat(directive: object = {}, members: object = {}): object {
  return { model: 'sim/fast', messages: [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }], ...members };
}

export function submission(bodies: readonly unknown[], members: object = {}): object {
  return { endpoint: CHAT, requests: bodies.map((body, at) => ({ custom_id: `r${at}`, body })), ...members };
}

export function linesOf({ results }: Batch): readonly Line[] {
  assert.type(results, 'string');
  const lines = (results as string).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}
