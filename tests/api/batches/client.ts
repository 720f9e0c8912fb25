import * as assert from 'uvu/assert';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';

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

interface Asked extends RequestInit {
  readonly node?: number;
}

/** The API of a cluster for one key. */
export function clientOf(cluster: TestCluster, key: string) {
  const call = (path: string, { node = 0, ...init }: Asked = {}): Promise<Response> =>
    fetch(`${cluster.baseUrls[node % cluster.baseUrls.length]}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
  const post = (body: string | object, { headers, ...more }: Asked = {}): Promise<Response> =>
    call('/batches', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
      ...more,
    });
  const json = async (answer: Response | Promise<Response>, status = 200): Promise<never> => {
    const arrived = await answer;
    assert.is(arrived.status, status, await arrived.clone().text());
    return (await arrived.json()) as never;
  };
  return {
    call,
    post,
    json,
    submit: async (body: string | object, more: Asked = {}): Promise<Batch> => json(post(body, more), 202),
    show: (id: string, more: Asked = {}): Promise<Batch> => json(call(`/batches/${id}`, more)),
    /** The batch once it has ended. */
    end: async (id: string): Promise<Batch> => {
      for (;;) {
        const batch: Batch = await json(call(`/batches/${id}`));
        if (batch.finalized_at !== null) return batch;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    cancel: (id: string): Promise<Batch> => json(call(`/batches/${id}/cancel`, { method: 'POST' })),
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

export async function refusal(answer: Response): Promise<{
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}> {
  const { error } = (await answer.json()) as {
    error: { code: number; message: string; metadata: Record<string, unknown> };
  };
  assert.is(error.code, answer.status);
  const { error_type: type, ...metadata } = error.metadata;
  return { status: answer.status, type: type as string, message: error.message, metadata };
}
