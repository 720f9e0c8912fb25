/** The request of each probe, and its verdict on every kind of answer. */
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Effort, Endpoint } from '../../../actors/terms/endpoint.ts';
import { responseFormatProbe, structuredOutputsProbe } from '../../../gateway/checks/format-probes.ts';
import { inputProbe, type Medium } from '../../../gateway/checks/input-probes.ts';
import type { QualificationProbe } from '../../../gateway/checks/probe.ts';
import { type ProbeAnswer, readProbeAnswer } from '../../../gateway/checks/probe-answer.ts';
import { clip } from '../../../gateway/checks/probe-media.ts';
import { checksFor, effortProbe, probeFor } from '../../../gateway/checks/probes-for.ts';
import { dispatchProbe, toolsProbe } from '../../../gateway/checks/tool-probes.ts';
import { ClipMeter } from '../../../gateway/jobs/video/clip/measure-clip.ts';
import type { ProviderAttempt } from '../../../gateway/providers/adapter.ts';
import { ChatReader } from '../../../gateway/providers/chat/reply-reader.ts';
import { WholeAttempt } from '../../../gateway/providers/whole-attempt.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';
import { boardEndpoint } from '../../support/model/endpoints.ts';
import { played, UNSHARED } from '../providers/played.ts';

const it = bounded(test);
const ENDPOINT: Endpoint = boardEndpoint('a', 'http://127.0.0.1:9/v1');
const EMPTY: ProbeAnswer = {
  text: '',
  calls: [],
  refused: false,
  thoughts: false,
  reasoningTokens: null,
  finish: 'stop',
};
const CALL = { name: 'report_number', arguments: '{"number":7}' };

type Row = readonly [string, Partial<ProbeAnswer>, string];

function judges(probe: QualificationProbe, rows: readonly Row[]): void {
  for (const [title, answer, verdict] of rows) {
    assert.is(probe.judge({ ...EMPTY, ...answer }).verdict, verdict, `${probe.check}: ${title}`);
  }
}

it('judges whether a required tool call was made (rule C43)', () => {
  const rows: readonly Row[] = [
    ['a call', { calls: [CALL], finish: 'tool_calls' }, 'passed'],
    ['two calls', { calls: [CALL, CALL], finish: 'tool_calls' }, 'passed'],
    ['text', { text: 'seven' }, 'failed'],
    ['nothing at all', {}, 'failed'],
    ['another tool', { calls: [{ ...CALL, name: 'other' }], finish: 'tool_calls' }, 'failed'],
    ['cut', { text: 'sev', finish: 'length' }, 'inconclusive'],
    ['filtered', { finish: 'content_filter' }, 'inconclusive'],
    ['refused', { refused: true }, 'inconclusive'],
  ];
  judges(toolsProbe(ENDPOINT), rows);
  judges(dispatchProbe(ENDPOINT), rows);
});

it('a call is ready for dispatch only if its arguments are complete (rule C43)', () => {
  const broken = (given: string): Partial<ProbeAnswer> => ({
    calls: [{ ...CALL, arguments: given }],
    finish: 'tool_calls',
  });
  judges(dispatchProbe(ENDPOINT), [
    ['a piece', broken('{"number":'), 'failed'],
    ['none', broken(''), 'failed'],
    ['a list', broken('[7]'), 'failed'],
    ['larger than the announced maximum', broken(`{"number":"${'7'.repeat(65_536)}"}`), 'failed'],
    ['one of two in pieces', { calls: [CALL, { ...CALL, arguments: '{' }], finish: 'tool_calls' }, 'failed'],
    ['cut at the ceiling', { ...broken('{"number":'), finish: 'length' }, 'inconclusive'],
  ]);
  assert.is(dispatchProbe(ENDPOINT).turn.stream, true);
});

it('judges whether an answer follows the requested schema', () => {
  const right = '{"capital_name":"Lisbon","letter_count":6,"certainty_level":"high"}';
  judges(structuredOutputsProbe(ENDPOINT), [
    ['as requested', { text: right }, 'passed'],
    ['with white space', { text: `\n${right} ` }, 'passed'],
    ['prose', { text: 'Lisbon.' }, 'failed'],
    ['fenced', { text: `\`\`\`json\n${right}\n\`\`\`` }, 'failed'],
    ['a member lacks', { text: '{"capital_name":"Lisbon","letter_count":6}' }, 'failed'],
    ['a member more', { text: right.replace('}', ',"more":1}') }, 'failed'],
    ['a wrong type', { text: right.replace('6', '"6"') }, 'failed'],
    ['a value outside', { text: right.replace('high', 'medium') }, 'failed'],
    ['cut', { text: right.slice(0, 20), finish: 'length' }, 'inconclusive'],
    ['refused', { refused: true }, 'inconclusive'],
  ]);
  judges(responseFormatProbe(ENDPOINT), [
    ['an object', { text: '{"capital":"Lisbon"}' }, 'passed'],
    ['a list', { text: '["Lisbon"]' }, 'failed'],
    ['prose', { text: 'Lisbon' }, 'failed'],
    ['cut', { text: '{"cap', finish: 'length' }, 'inconclusive'],
  ]);
});

it('effort none must show no reasoning; a level must be accepted and show reasoning (rule C42)', () => {
  judges(effortProbe(ENDPOINT, 'none'), [
    ['silent', { text: '9' }, 'passed'],
    ['silent and counted', { text: '9', reasoningTokens: 0 }, 'passed'],
    ['thoughts shown', { text: '9', thoughts: true }, 'failed'],
    ['thoughts counted', { text: '9', reasoningTokens: 12 }, 'failed'],
    ['thoughts up to the ceiling', { thoughts: true, finish: 'length' }, 'failed'],
    ['cut without a thought', { text: '9', finish: 'length' }, 'inconclusive'],
  ]);
  judges(effortProbe(ENDPOINT, 'high'), [
    ['thoughts shown', { thoughts: true, finish: 'length' }, 'passed'],
    ['thoughts counted', { text: '9', reasoningTokens: 12 }, 'passed'],
    ['counted as none', { text: '9', reasoningTokens: 0 }, 'failed'],
    ['neither shown nor counted', { text: '9' }, 'inconclusive'],
    ['refused', { refused: true, reasoningTokens: 0 }, 'inconclusive'],
  ]);
  judges(effortProbe(ENDPOINT, 'minimal'), [['no thought', { text: '9', reasoningTokens: 0 }, 'passed']]);
});

it('effort none sees reasoning in parts of the content (rule C42)', async () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: '3 and 6' }] },
    { type: 'text', text: '9' },
  ];
  const body = Buffer.from(JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] }));
  const attempt = new WholeAttempt(played([body]), new ChatReader(String), UNSHARED);
  assert.is(effortProbe(ENDPOINT, 'none').judge(await readProbeAnswer(attempt)).verdict, 'failed');
});

const reading = (medium: Medium, containers: readonly string[] | null = null): Endpoint => ({
  ...ENDPOINT,
  supportedParameters: [],
  inputModalities: ['text', medium],
  inputs: { [medium]: { sources: ['data'], containers } },
});

it('judges whether a picture or a clip was seen, by its two colours', () => {
  for (const medium of ['image', 'video'] as const) {
    judges(inputProbe(reading(medium), medium), [
      ['as shown', { text: 'Blue and yellow.' }, 'passed'],
      ['after its reasons', { text: 'Not red or green: left is blue, right is yellow' }, 'passed'],
      ['the other way round', { text: 'yellow, blue' }, 'failed'],
      ['nothing seen', { text: 'I see no picture.' }, 'failed'],
      ['refused', { refused: true }, 'inconclusive'],
      ['cut', { text: 'It shows', finish: 'length' }, 'inconclusive'],
    ]);
  }
});

it('judges whether a recording was heard: a wrong number of beeps is no verdict, silence is a failure', () => {
  judges(inputProbe(reading('audio'), 'audio'), [
    ['digits', { text: '4' }, 'passed'],
    ['words', { text: 'There are four beeps.' }, 'passed'],
    ['another number', { text: 'five' }, 'inconclusive'],
    ['none', { text: '0' }, 'failed'],
    ['nothing heard', { text: 'I cannot hear any recording.' }, 'failed'],
    ['refused', { refused: true }, 'inconclusive'],
    ['cut', { text: 'There', finish: 'length' }, 'inconclusive'],
  ]);
});

it('judges whether a document was read, by its code word', () => {
  judges(inputProbe(reading('file'), 'file'), [
    ['as stated', { text: 'Marigold 4827' }, 'passed'],
    ['in a sentence', { text: 'The code word is MARIGOLD-4827.' }, 'passed'],
    ['half of it', { text: 'Marigold' }, 'failed'],
    ['another number', { text: 'Marigold 48270' }, 'failed'],
    ['nothing read', { text: 'No document is attached.' }, 'failed'],
    ['filtered', { finish: 'content_filter' }, 'inconclusive'],
  ]);
});

it('a file is sent in a form that the endpoint declares, and an input without one is not checked (rule C44)', () => {
  const sent = (medium: Medium, containers: readonly string[] | null): unknown => {
    const endpoint = reading(medium, containers);
    assert.equal(checksFor(endpoint), [`input:${medium}`]);
    const [message] = probeFor(endpoint, `input:${medium}`).turn.messages;
    const part = message !== undefined && 'parts' in message ? message.parts?.at(-1) : undefined;
    return part !== undefined && 'source' in part && part.source.kind === 'data' ? part.source.mediaType : null;
  };
  assert.is(sent('file', null), 'application/pdf');
  assert.is(sent('file', ['text/plain']), 'text/plain');
  assert.is(sent('audio', ['audio/mpeg', 'audio/wav']), 'audio/wav');
  assert.is(sent('video', ['video/mp4']), 'video/mp4');
  assert.is(sent('image', ['image/png']), 'image/png');
  for (const [medium, only] of [
    ['file', 'text/csv'],
    ['audio', 'audio/mpeg'],
    ['video', 'video/webm'],
    ['image', 'image/webp'],
  ] as const) {
    assert.equal(checksFor(reading(medium, [only])), [], only);
  }
});

it('the clip of the check is one that players take: one second, 64 by 64 pixels', async () => {
  const meter = new ClipMeter();
  for await (const _ of meter.pass(Readable.from([Buffer.from(clip(), 'base64')])));
  const { width, height, durationSeconds, audio } = meter.measured();
  assert.equal([width, height, Number(durationSeconds), audio], [64, 64, 1, false]);
});

it('the declarations decide which checks run', () => {
  const checks = (supportedParameters: string[], reasoning: Endpoint['reasoning'] = null): readonly string[] =>
    checksFor({ ...ENDPOINT, supportedParameters, reasoning });
  const efforts: readonly Effort[] = ['high', 'none'];
  assert.equal(checks(['temperature']), []);
  assert.equal(checks(['tools']), ['tool_dispatch', 'tools']);
  assert.equal(checks(['structured_outputs', 'response_format']), ['structured_outputs', 'response_format']);
  assert.equal(checks(['reasoning'], { efforts, mandatory: false }), ['effort:high', 'effort:none']);
  assert.equal(checks(['reasoning_effort'], { efforts: ['low'], mandatory: false }), ['effort:low', 'effort:none']);
  assert.equal(checks(['reasoning_effort'], { efforts: ['low'], mandatory: true }), ['effort:low']);
  assert.equal(checks(['reasoning'], { mandatory: false }), ['effort:none'], 'an off control without levels');
  assert.equal(checks(['reasoning_effort']), [], 'without declared efforts there is no level to check');
  assert.equal(checks(['reasoning'], { mandatory: true }), [], 'mandatory reasoning without declared levels');
  assert.equal(checks([], { efforts, mandatory: false }), [], 'controls without the parameter');
  assert.equal(checks(['enable_thinking'], { mandatory: false }), ['effort:none'], 'a switch alone');
  const drawing = {
    ...ENDPOINT,
    supportedParameters: ['tools', 'response_format'],
    outputModalities: ['text', 'image'] as const,
  };
  assert.equal(checksFor(drawing), ['tool_dispatch', 'tools'], 'pictures are too expensive for other checks');
  for (const check of checks(['tools', 'structured_outputs', 'response_format', 'reasoning'], {
    efforts,
    mandatory: false,
  })) {
    assert.is(probeFor(ENDPOINT, check as never).check, check);
  }
});

function attempt(batches: readonly (readonly TurnEvent[])[]): ProviderAttempt {
  const left = [...batches];
  return {
    status: 200,
    upstreamId: null,
    usage: { reasoningTokens: 3 },
    read: async () => left.shift() ?? null,
    abort() {},
  };
}

it('summarises the whole answer, calls from their pieces', async () => {
  const answer = await readProbeAnswer(
    attempt([
      [
        { type: 'reasoning-delta', text: 'hm' },
        { type: 'text-delta', text: 'a' },
      ],
      [
        { type: 'text-delta', text: 'b' },
        { type: 'tool-start', index: 0, id: 'one', name: 'first' },
        { type: 'tool-start', index: 1, id: 'two', name: 'second' },
        { type: 'tool-delta', index: 0, arguments: '{"n"' },
        { type: 'tool-delta', index: 1, arguments: '{}' },
        { type: 'tool-delta', index: 0, arguments: ':1}' },
      ],
      [{ type: 'finish', reason: 'tool_calls', native: 'tool_calls' }],
    ]),
  );
  assert.equal(answer, {
    text: 'ab',
    calls: [
      { name: 'first', arguments: '{"n":1}' },
      { name: 'second', arguments: '{}' },
    ],
    refused: false,
    thoughts: true,
    reasoningTokens: 3,
    finish: 'tool_calls',
  });
});

it('refuses an endless answer', async () => {
  const endless: ProviderAttempt = {
    ...attempt([]),
    read: async () => [{ type: 'text-delta', text: 'x'.repeat(1_024) }],
  };
  let message = '';
  await readProbeAnswer(endless).catch((error: Error) => {
    message = error.message;
  });
  assert.is(message, 'an endless answer');
});

test.run();
