import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { ResponsesReader } from '../../../../gateway/providers/responses/reply-reader.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const format = 'openai-responses-v1';

type Body = Readonly<Record<string, unknown>>;

/** The events of a whole response. */
function read(response: object, provider?: string): { readonly events: TurnEvent[]; readonly reader: ResponsesReader } {
  const reader = new ResponsesReader(String, undefined, provider);
  const events: TurnEvent[] = [];
  reader.readWhole({ status: 'completed', output: [], ...response }, events);
  return { events, reader };
}

function failureOf(run: () => unknown): ProviderFailure {
  try {
    run();
  } catch (error) {
    assert.instance(error, ProviderFailure);
    return error as ProviderFailure;
  }
  throw new Error('nothing failed');
}

it('a whole response: reasoning of both kinds, sources counted in the whole text, items of hosted tools passed over', () => {
  const citation = { type: 'url_citation', url: 'https://a.test/', title: 'A', start_index: 0, end_index: 3 };
  const text = (words: string, annotations: object[] = []): object => ({
    type: 'output_text',
    text: words,
    annotations,
  });
  const { events, reader } = read(
    {
      id: 'resp_1',
      output: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'Short' }],
          content: [{ type: 'reasoning_text', text: 'Long' }],
          encrypted_content: 'AAA',
        },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        { type: 'message', id: 'msg_1', content: [text('Hello. '), text('See A.', [citation, { type: 'file_path' }])] },
        { type: 'message', id: 'msg_2', content: [{ type: 'refusal', refusal: 'No.' }] },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'find', arguments: '' },
      ],
      usage: {
        input_tokens: 20,
        input_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
        total_tokens: 29,
      },
    },
    'alpha',
  );
  assert.equal(events, [
    { type: 'reasoning-delta', text: 'Short' },
    { type: 'reasoning-detail', detail: { type: 'reasoning.summary', summary: 'Short', index: 0, id: 'rs_1', format } },
    { type: 'reasoning-delta', text: '\n\n' },
    { type: 'reasoning-delta', text: 'Long' },
    { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'Long', index: 1, id: 'rs_1', format } },
    {
      type: 'reasoning-detail',
      detail: { type: 'reasoning.encrypted', data: 'alpha:AAA', index: 2, id: 'rs_1', format },
    },
    { type: 'text-delta', text: 'Hello. ' },
    { type: 'text-delta', text: 'See A.' },
    { type: 'citation', citation: { url: 'https://a.test/', title: 'A', passage: { start: 7, end: 10 } } },
    { type: 'refusal-delta', text: 'No.' },
    { type: 'tool-start', index: 0, id: 'call_1', name: 'find' },
    { type: 'tool-delta', index: 0, arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', native: 'completed' },
  ]);
  assert.equal(reader.usage, {
    promptTokens: 20,
    cachedTokens: 5,
    cacheWriteTokens: 3,
    completionTokens: 9,
    reasoningTokens: 4,
  });
});

it('an answer that was cut says why; one that failed or did not end is none, and the provider is not quoted', () => {
  const finishOf = (reason?: string): unknown =>
    read({ status: 'incomplete', incomplete_details: reason === undefined ? null : { reason } }).events.at(-1);
  assert.equal(finishOf('max_output_tokens'), { type: 'finish', reason: 'length', native: 'max_output_tokens' });
  assert.equal(finishOf('content_filter'), { type: 'finish', reason: 'content_filter', native: 'content_filter' });
  assert.equal(finishOf(), { type: 'finish', reason: 'length', native: 'incomplete' });
  for (const status of ['in_progress', 'queued', 'cancelled', undefined]) {
    assert.is(failureOf(() => read({ status })).reason, 'garbage');
  }
  const failed = (code: string): ProviderFailure =>
    failureOf(() => read({ status: 'failed', error: { code, message: 'sk-secret' } }));
  assert.is(failed('rate_limit_exceeded').reason, 'overloaded');
  assert.is(failed('server_error').reason, 'unavailable');
  assert.is(failed('invalid_prompt').refusal?.code, 'content_policy_violation');
  assert.not.match(failed('server_error').message, /secret/);
});

/** The events of a stream with these frames. */
function streamed(...frames: readonly (Body & { readonly type: string })[]): TurnEvent[] {
  const reader = new ResponsesReader(String);
  const events: TurnEvent[] = [];
  for (const frame of frames) reader.readFrame(frame.type, JSON.stringify(frame), events);
  return events;
}

const COMPLETED = { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } };

it('items that come without pieces, without an opening or only at the end are read once', () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] };
  const hi = { type: 'text-delta', text: 'Hi' } as const;
  const done = { type: 'response.output_item.done', output_index: 0, item: message };
  const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' };
  const end = { ...COMPLETED, response: { ...COMPLETED.response, output: [message] } };
  for (const frames of [[done, end], [delta, done, end], [delta, end], [end]]) {
    assert.equal(streamed(...frames), [hi, { type: 'finish', reason: 'stop', native: 'completed' }]);
  }
});

it('arguments without pieces are read at their end, and scores with their text', () => {
  const item = { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '' };
  const added = { type: 'response.output_item.added', output_index: 1, item };
  const ended = { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"n":1}' };
  const done = { type: 'response.output_item.done', output_index: 1, item: { ...item, arguments: '{"n":1}' } };
  for (const frames of [[added, ended, done], [added, done], [done]]) {
    assert.equal(streamed(...frames, COMPLETED), [
      { type: 'tool-start', index: 0, id: 'call_1', name: 'find' },
      { type: 'tool-delta', index: 0, arguments: '{"n":1}' },
      { type: 'finish', reason: 'tool_calls', native: 'completed' },
    ]);
  }
  const logprobs = [{ token: 'Hi', logprob: -1, bytes: [72, 105], top_logprobs: [] }];
  const scored = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi', logprobs };
  assert.equal(streamed(scored), [
    { type: 'text-delta', text: 'Hi' },
    { type: 'logprobs', content: logprobs },
  ]);
});

it('an error in the stream, a second response and pieces of unknown calls end the answer', () => {
  const flat = { type: 'error', code: 'rate_limit_exceeded', message: 'slow', param: null, sequence_number: 1 };
  assert.is(failureOf(() => streamed(flat)).reason, 'overloaded');
  const nested = { type: 'error', error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'pay' } };
  assert.is(failureOf(() => streamed(nested)).reason, 'misconfigured');
  const created = (id: string) => ({ type: 'response.created', response: { id } });
  assert.is(failureOf(() => streamed(created('resp_1'), created('resp_2'))).reason, 'garbage');
  const stray = { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{}' };
  assert.is(failureOf(() => streamed(stray)).reason, 'garbage');
});

test.run();
