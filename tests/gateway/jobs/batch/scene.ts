/** The lines of a batch on a stage, with a scripted provider. */
import * as assert from 'uvu/assert';
import type { LineInput, LineResult } from '../../../../actors/batch/lines.ts';
import { type ActivityTask, sealBlob, systemRandom } from '../../../../actors/runtime/index.ts';
import { lineHandler } from '../../../../gateway/jobs/batch/run-line.ts';
import { placeOfBodies } from '../../../../gateway/jobs/batch/seal-submission.ts';
import { batchIdOf, OWNER } from '../../../support/model/batches.ts';
import { board, boardEndpoint } from '../../../support/model/endpoints.ts';
import { KEY } from '../../../support/model/words.ts';
import { pieces } from '../../../support/pieces.ts';
import { startScriptedProvider } from '../../../support/provider/scripted-provider.ts';
import { type Stage, type StageOptions, stage } from '../../stage.ts';

export const BATCH = batchIdOf(1);

interface LineScene extends Stage {
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
export async function openLineScene(options: StageOptions = {}) {
  const provider = await startScriptedProvider();
  const on = stage({ endpoints: board(boardEndpoint('a', provider.baseUrl)), ...options });
  const calls: Record<string, unknown>[] = [];
  const handler = lineHandler(() => on.jobs);
  const scene: LineScene = {
    ...on,
    calls,
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
      const blob = await on.blobs.put(pieces.of(ahead, text));
      const sealed = sealBlob(await on.keys.current(), placeOfBodies(OWNER, BATCH), blob, systemRandom);
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
  scene.say('hello');
  return {
    ...scene,
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

export function errorOf({ outcome }: LineResult) {
  assert.ok('error' in outcome, 'the line failed');
  return outcome.error;
}
