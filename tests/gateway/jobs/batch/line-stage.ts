/** The handlers of a batch on a fake cluster, with real inference, a scripted provider, and bytes in memory. */
import * as assert from 'uvu/assert';
import type { LineInput, LineResult } from '../../../../actors/batch/lines.ts';
import {
  type ActivityTask,
  type Cluster,
  sealBlob,
  systemClock,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import type { FileServices } from '../../../../gateway/files/file-services.ts';
import { lineHandler } from '../../../../gateway/jobs/batch/run-line.ts';
import { placeOfBodies } from '../../../../gateway/jobs/batch/seal-submission.ts';
import type { LineServices } from '../../../../gateway/jobs/job-services.ts';
import { MemoryBlobs } from '../../../support/memory-blobs.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';
import { batchIdOf, OWNER } from '../../../support/model/batches.ts';
import { KEY } from '../../../support/model/words.ts';
import { atOnce, noLiveTraffic } from '../../../support/no-live-traffic.ts';
import { startScriptedProvider } from '../../../support/provider/scripted-provider.ts';
import { board, boardEndpoint, type Stage, type StageOptions, stage } from '../../inference/stage.ts';

export const BATCH = batchIdOf(1);
const PARTS = { clock: systemClock, random: systemRandom };

interface LineStage extends Stage {
  readonly keys: MemoryKeyStore;
  readonly blobs: MemoryBlobs;
  readonly jobs: LineServices;
  /** Calls that the provider received. */
  readonly calls: Readonly<Record<string, unknown>>[];
  /** The provider answers with this text, after `gate`, and reports so many prompt tokens. */
  say(text: string, gate?: Promise<void>, promptTokens?: number): void;
  /** The provider answers with this status. */
  fail(status: number): void;
  /** Seals a body as a submission does. */
  input(body: object, more?: Partial<LineInput>): Promise<LineInput>;
  run(input: LineInput, options?: { readonly attempt?: number; readonly signal?: AbortSignal }): Promise<LineResult>;
}

/** Open for one test. */
export async function openLineStage(options: StageOptions & { readonly pace?: LineServices['pace'] } = {}) {
  const provider = await startScriptedProvider();
  const on = stage({ endpoints: board(boardEndpoint('a', provider.baseUrl)), ...options });
  const keys = new MemoryKeyStore(PARTS);
  const blobs = new MemoryBlobs({ ...PARTS, bytesMax: 64 * 1024 * 1024 });
  const cluster = on.services.cluster as Cluster;
  const background = noLiveTraffic(systemClock);
  const files: FileServices = {
    cluster,
    bytes: { keys, blobs },
    background,
    ...PARTS,
    limits: config.files,
    askMs: 1_000,
  };
  const jobs: LineServices = {
    inference: { ...on.services, files },
    files,
    limits: on.services.config.edge,
    log: on.services.log,
    pace: options.pace ?? atOnce,
    crashpoint: (name) => on.crashpoints.push(name),
  };
  const calls: Record<string, unknown>[] = [];
  const handler = lineHandler(() => jobs);
  const lineStage: LineStage = {
    ...{ ...on, keys, blobs, jobs, calls },
    say: (text, gate = Promise.resolve(), promptTokens = 10) => {
      provider.answer = ({ body, response }) => {
        calls.push(body);
        void gate.then(() => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(answerOf(text, promptTokens));
        });
      };
    },
    fail: (status) => {
      provider.answer = ({ response }) => void response.writeHead(status).end();
    },
    input: async (body, more = {}) => {
      const text = Buffer.from(JSON.stringify({ model: 'sim/fast', max_tokens: 50, ...body }));
      const ahead = Buffer.from('{"another":"line"}');
      const blob = await blobs.put(one(ahead, text));
      const sealed = sealBlob(await keys.current(), placeOfBodies(OWNER, BATCH), blob, systemRandom);
      return {
        ...{ account: OWNER, key: KEY, endpoint: '/v1/chat/completions', model: null, provider: null },
        workspace: null,
        attribution: { appTitle: 'the app', appUrl: null },
        ...{ expiresAt: Date.now() + 3_600_000, bodies: sealed, batch: BATCH, index: 0, customId: 'line-0' },
        ...{ offset: ahead.length, length: text.length },
        ...more,
      };
    },
    run: async (input, { attempt = 1, signal = new AbortController().signal } = {}) => {
      const task = { address: `batch:${OWNER}/${BATCH}`, id: '0', name: 'line', key: 'k', attempt, deadlineAt: 0 };
      return (await handler.run({ ...task, input } as unknown as ActivityTask, signal)) as unknown as LineResult;
    },
  };
  lineStage.say('hello');
  return {
    ...lineStage,
    end: async () => {
      await on.end();
      await provider.close();
    },
  };
}

function answerOf(text: string, promptTokens: number): string {
  return JSON.stringify({
    ...{ id: 'up-1', object: 'chat.completion', created: 1, model: 'sim/fast' },
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: promptTokens, completion_tokens: 5, total_tokens: promptTokens + 5 },
  });
}

async function* one(...pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

export function errorOf({ outcome }: LineResult) {
  assert.ok('error' in outcome, 'the line failed');
  return outcome.error;
}
