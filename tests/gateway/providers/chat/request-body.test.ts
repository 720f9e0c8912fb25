import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { chatWriter } from '../../../../gateway/providers/chat/request-body.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);

function bodyOf(requested: Partial<Turn>, declared: Partial<Endpoint> = {}): Record<string, unknown> {
  return JSON.parse(chatWriter(endpointOf(declared))(turnOf(requested), 100)) as Record<string, unknown>;
}

const PLAIN = { model: 'model', messages: [{ role: 'user', content: 'Hi' }], stream: false, max_tokens: 100 };

it('a plain turn is a plain body, under the upstream id and with the ceiling under its declared name (rule I16)', () => {
  assert.equal(bodyOf({}), PLAIN);
  const { max_tokens: _name, ...rest } = PLAIN;
  assert.equal(bodyOf({}, { ceilingName: 'max_completion_tokens' }), { ...rest, max_completion_tokens: 100 });
});

// rule I26
it('a stream always requests its usage (rule I26)', () => {
  assert.equal(bodyOf({ stream: true }), { ...PLAIN, stream: true, stream_options: { include_usage: true } });
});

// rule I110
it('sends sampling members only where they are declared (rule I110)', () => {
  const sampling = { temperature: 0.5, top_k: -1, logit_bias: { '5': -100 }, logprobs: true, top_logprobs: 3 };
  assert.equal(bodyOf({ sampling }), PLAIN);
  assert.equal(bodyOf({ sampling }, { supportedParameters: ['temperature', 'logprobs', 'top_logprobs'] }), {
    ...PLAIN,
    temperature: 0.5,
    logprobs: true,
    top_logprobs: 3,
  });
  const declared = { supportedParameters: ['top_k', 'logit_bias'] };
  assert.equal(bodyOf({ sampling }, declared), { ...PLAIN, top_k: -1, logit_bias: { '5': -100 } });
});

// rule I25
it('sends a recommended value where the request has none, and only for declared members (rule I25, rule C6)', () => {
  const declared = {
    defaultParameters: { temperature: 0.7, top_p: 0.95, top_k: 20 },
    supportedParameters: ['temperature', 'top_p'],
  };
  assert.equal(bodyOf({}, declared), { ...PLAIN, temperature: 0.7, top_p: 0.95 });
  assert.equal(bodyOf({ sampling: { temperature: 0 } }, declared), { ...PLAIN, temperature: 0, top_p: 0.95 });
});

// rule I113
it('sends only the effort of the reasoning settings (rule I18)', () => {
  const reasoning = { effort: 'high', tokensMax: 5_000, enabled: true, excluded: true } as const;
  assert.equal(bodyOf({ reasoning }), { ...PLAIN, reasoning_effort: 'high' });
  assert.equal(bodyOf({ reasoning: { tokensMax: 5_000, enabled: false } }), PLAIN);
});

// rule I113
it('switches reasoning off by effort none, or by the switch of an endpoint without that level (rule I114)', () => {
  const levels = {
    supportedParameters: ['reasoning'],
    reasoning: { efforts: ['low', 'none'], mandatory: false },
  } as const;
  const control = {
    supportedParameters: ['reasoning_effort'],
    reasoning: { efforts: ['low'], mandatory: false },
  } as const;
  const both = { supportedParameters: ['reasoning_effort', 'enable_thinking'], reasoning: control.reasoning } as const;
  const alone = { supportedParameters: ['enable_thinking'], reasoning: { mandatory: false } } as const;
  for (const reasoning of [{ enabled: false }, { effort: 'none' }] as const) {
    assert.equal(bodyOf({ reasoning }, levels), { ...PLAIN, reasoning_effort: 'none' });
    assert.equal(bodyOf({ reasoning }, control), { ...PLAIN, reasoning_effort: 'none' });
    assert.equal(bodyOf({ reasoning }, both), { ...PLAIN, enable_thinking: false });
    assert.equal(bodyOf({ reasoning }, alone), { ...PLAIN, enable_thinking: false });
  }
  const sampling = { enable_thinking: true };
  assert.equal(bodyOf({ reasoning: { enabled: false }, sampling }, alone), { ...PLAIN, enable_thinking: false });
  assert.equal(bodyOf({ reasoning: { enabled: true } }, alone), { ...PLAIN, enable_thinking: true });
  assert.equal(bodyOf({ reasoning: { enabled: true } }, levels), PLAIN);
});

it('sends tools and their choice, and parallel_tool_calls only where declared', () => {
  const tools = [{ name: 'f', description: 'd', parameters: { type: 'object', x: null }, strict: true }];
  const functions = [{ type: 'function', function: tools[0] }];
  assert.equal(bodyOf({ tools, toolChoice: { name: 'f' }, parallelToolCalls: false }), {
    ...PLAIN,
    tools: functions,
    tool_choice: { type: 'function', function: { name: 'f' } },
  });
  assert.equal(
    bodyOf(
      { tools, toolChoice: 'required', parallelToolCalls: false },
      { supportedParameters: ['parallel_tool_calls'] },
    ),
    { ...PLAIN, tools: functions, tool_choice: 'required', parallel_tool_calls: false },
  );
});

// rule I1, rule I38
it('sends every kind of part in the form of the dialect, audio bytes as a data URL of audio_url (rule I42)', () => {
  const data = (mediaType: string) => ({ kind: 'data', mediaType, base64: 'AAAA' }) as const;
  const url = { kind: 'url', url: 'https://files.test/x' } as const;
  const parts = [
    { type: 'text', text: 'See:' },
    { type: 'image', source: url, detail: 'low' },
    { type: 'image', source: data('image/png') },
    { type: 'audio', source: data('audio/wav') },
    { type: 'audio', source: url },
    { type: 'video', source: url },
    { type: 'file', source: data('application/pdf'), filename: 'a.pdf' },
    { type: 'file', source: url },
  ] as const;
  const wire = [
    { type: 'text', text: 'See:' },
    { type: 'image_url', image_url: { url: url.url, detail: 'low' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'audio_url', audio_url: { url: 'data:audio/wav;base64,AAAA' } },
    { type: 'audio_url', audio_url: { url: url.url } },
    { type: 'video_url', video_url: { url: url.url } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    { type: 'file', file: { file_data: url.url } },
  ];
  const { messages } = bodyOf({ messages: [{ role: 'user', text: 'See:', parts, name: 'ann' }] });
  assert.equal(messages, [{ role: 'user', content: wire, name: 'ann' }]);
});

it('sends several texts as parts where parts are accepted, and as one string without additions elsewhere', () => {
  const parts = [
    { type: 'text', text: 'one' },
    { type: 'text', text: ' two' },
  ] as const;
  const message = { text: 'one two', parts };
  const messages = [
    { role: 'developer', ...message },
    { role: 'user', ...message },
    { role: 'tool', ...message, toolCallId: 'c' },
  ] as const;
  const sent = (inputModalities: Endpoint['inputModalities']): unknown =>
    (bodyOf({ messages }, { inputModalities }).messages as { content: unknown }[]).map(({ content }) => content);
  assert.equal(sent(['text']), ['one two', 'one two', 'one two']);
  assert.equal(sent(['text', 'image']), [parts, parts, parts]);
});

it('sends a conversation in order, earlier reasoning unchanged to a model that reasons (rule I44)', () => {
  const details = [
    { type: 'reasoning.text', text: 't', signature: 's', format: 'maker-v1', index: 0 },
    { type: 'reasoning.encrypted', data: 'x', id: null, index: 1 },
  ] as const;
  const requested: Partial<Turn> = {
    messages: [
      { role: 'developer', text: 'Be brief.' },
      {
        role: 'assistant',
        text: null,
        toolCalls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }],
        reasoning: 'hm',
        reasoningDetails: details,
      },
      { role: 'tool', text: '5', toolCallId: 'c' },
      { role: 'assistant', text: null, refusal: 'no' },
    ],
  };
  const { messages } = bodyOf(requested, { reasoning: { mandatory: true } });
  assert.equal(messages, [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'assistant',
      content: null,
      reasoning: 'hm',
      reasoning_details: details,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    { role: 'tool', content: '5', tool_call_id: 'c' },
    { role: 'assistant', content: '', refusal: 'no' },
  ]);
  const plain = bodyOf(requested).messages as readonly object[];
  assert.not.match(JSON.stringify(plain), /reasoning/);
});

it('requests pictures and speech, and text only from a model with text output', () => {
  const draws = { outputModalities: ['image'], envelopes: { image: { resolutions: ['1K', '2K'] } } } as const;
  assert.equal(
    bodyOf({ modalities: { input: [], output: ['image'] }, imageConfig: { resolution: '2k', n: 1 } }, draws),
    {
      ...PLAIN,
      modalities: ['image'],
      image_config: { resolution: '2K' },
    },
  );
  const speaks = { outputModalities: ['text', 'audio'] } as const;
  const speech = { voice: 'alloy', format: 'wav' };
  assert.equal(bodyOf({ modalities: { input: [], output: ['audio'] }, speech }, speaks), {
    ...PLAIN,
    modalities: ['text', 'audio'],
    audio: speech,
  });
});

// rule I35
it('passes declared options to the serving provider unchanged (rule I35)', () => {
  const preferences = {
    allowFallbacks: true,
    options: { alpha: { beam: { width: null }, unknown: 1, model: 'other', max_tokens: 9 }, beta: { beam: 2 } },
  };
  const passthrough = {
    beam: { type: 'unknown' },
    model: { type: 'unknown' },
    max_tokens: { type: 'unknown' },
  } as const;
  assert.equal(bodyOf({ preferences }, { passthrough }), { ...PLAIN, beam: { width: null } });
  assert.equal(bodyOf({ preferences }), PLAIN);
  const polluting = JSON.parse('{"alpha":{"__proto__":{"x":1}},"__proto__":{"beam":1}}') as object;
  const hostile = { allowFallbacks: true, options: polluting as never };
  assert.equal(bodyOf({ preferences: hostile }, { passthrough }), PLAIN);
  assert.is(({} as { x?: unknown }).x, undefined);
});

it('sends the user and omits the metadata (rule I20)', () => {
  assert.equal(bodyOf({ user: 'u-1', metadata: { secret: 1 } }), { ...PLAIN, user: 'u-1' });
});

test.run();
