import fc from 'fast-check';
import type {
  CacheTime,
  ContentPart,
  ReasoningDetail,
  ToolCall,
  Turn,
  TurnMessage,
} from '../../../gateway/terms/turn.ts';

/**
 * Any turn that a caller can send: a conversation that began at this or at another provider, with tools and their
 * results, thinking of several origins, pictures, documents and marks, and settings. Every result follows its call, and
 * the user has the last word.
 */

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;
type Mutable<T> = { -readonly [member in keyof T]: T[member] };

const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== '')
  .map((text) => `${text}.`);
const cacheFor = fc.constantFrom('5m', '1h');
const name = fc.constantFrom('ann', 'bob_2');

const textPart = fc.record({ type: fc.constant('text'), text: words, cacheFor }, { requiredKeys: ['type', 'text'] });
const picture = fc.record(
  {
    type: fc.constant('image'),
    source: fc.constantFrom(
      { kind: 'url', url: 'https://p.test/a.png' },
      { kind: 'data', mediaType: 'image/png', base64: 'iVBORw0K' },
    ),
    detail: fc.constantFrom('auto', 'low', 'high'),
    cacheFor,
  },
  { requiredKeys: ['type', 'source'] },
);
const document = fc.record(
  {
    type: fc.constant('file'),
    source: fc.constantFrom(
      { kind: 'url', url: 'https://p.test/a.pdf' },
      { kind: 'data', mediaType: 'application/pdf', base64: 'JVBERi0x' },
      { kind: 'data', mediaType: 'text/plain', base64: Buffer.from('# é').toString('base64') },
    ),
    filename: fc.constantFrom('a.pdf', 'b "2".txt'),
    context: fc.constant('From last year.'),
    cited: fc.constant(true),
    cacheFor,
  },
  { requiredKeys: ['type', 'source'] },
);
/** What a search found, and a document of parts. */
const found = fc.record(
  {
    type: fc.constant('search_result'),
    source: fc.constantFrom('https://s.test/a', 'notes/1'),
    title: fc.constantFrom('A "1"', ''),
    cited: fc.constant(true),
  },
  { requiredKeys: ['type', 'source', 'title'] },
);
const collected = fc.record(
  {
    type: fc.constant('document'),
    title: fc.constant('b "2".txt'),
    context: fc.constant('From last year.'),
    cited: fc.constant(true),
  },
  { requiredKeys: ['type'] },
);
const held = fc
  .oneof(
    fc.tuple(found, fc.array(textPart, { minLength: 1, maxLength: 2 })),
    fc.tuple(collected, fc.array(fc.oneof(textPart, picture), { minLength: 1, maxLength: 3 })),
  )
  .map(([origin, some]) => some.map((part) => ({ ...part, origin })));
const single = fc.oneof(textPart, picture, document).map((part) => [part]);
const parts = fc
  .array(fc.oneof({ weight: 3, arbitrary: single }, { weight: 1, arbitrary: held }), { minLength: 1, maxLength: 3 })
  .map((some) => some.flat());

/** Contents as the dialects parse them: plain text, or its parts. */
const content = fc.oneof(
  words.map((text) => ({ text })),
  (parts as fc.Arbitrary<readonly ContentPart[]>).map((some) => ({
    text: some.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    parts: some,
  })),
);

const detail: fc.Arbitrary<ReasoningDetail> = fc.oneof(
  words.map((text) => ({ type: 'reasoning.text', text, signature: 'c2ln', format: 'anthropic-claude-v1' }) as const),
  fc.constant({ type: 'reasoning.encrypted', data: 'b3BhcXVl', format: 'anthropic-claude-v1' } as const),
  fc.constant({ type: 'reasoning.encrypted', data: 'Z2Vt', format: 'google-gemini-v1', id: 'call_0' } as const),
  fc.constant({ type: 'reasoning.encrypted', data: 'Z2Vt', format: 'google-gemini-v1' } as const),
  words.map((text) => ({ type: 'reasoning.text', text, format: 'google-gemini-v1' }) as const),
  fc
    .constantFrom('alpha:b2Fp', 'beta:b2Fp')
    .map((data) => ({ type: 'reasoning.encrypted', data, format: 'openai-responses-v1', id: 'rs_1' }) as const),
  words.map((text) => ({ type: 'reasoning.text', text }) as const),
  words.map((summary) => ({ type: 'reasoning.summary', summary }) as const),
);

interface Round {
  readonly asked: { readonly text: string; readonly parts?: readonly ContentPart[] };
  readonly by?: string;
  readonly answer: Partial<Assistant> & { readonly ordered?: CacheTime };
  readonly calls: readonly { readonly style: string; readonly tool: string; readonly arguments: string }[];
  readonly results: readonly {
    readonly content: { readonly text: string };
    readonly isError?: true;
    readonly cacheFor?: '5m' | '1h';
  }[];
}

const round: fc.Arbitrary<Round> = fc.record(
  {
    asked: content,
    by: name,
    answer: fc.record(
      {
        text: words,
        reasoning: words,
        reasoningDetails: fc.array(detail, { minLength: 1, maxLength: 3 }),
        refusal: words,
        name,
        /** The contents in another order than usual, and marked: only a wire with blocks keeps that. */
        ordered: fc.constantFrom('5m', '1h'),
      },
      { requiredKeys: [] },
    ),
    calls: fc.array(
      fc.record({
        // Ids as providers of several families write them.
        style: fc.constantFrom('call_', 'toolu_01', 'functions.find:', 'a|b/'),
        tool: fc.constantFrom('find', 'get_time'),
        arguments: fc.constantFrom('{}', '{"city":"Köln","n":12345678901234567890}', '{"a":[1,{"b":null}]}'),
      }),
      { maxLength: 2 },
    ),
    results: fc.array(fc.record({ content, isError: fc.constant(true), cacheFor }, { requiredKeys: ['content'] }), {
      minLength: 2,
      maxLength: 2,
    }),
  },
  { requiredKeys: ['asked', 'answer', 'calls', 'results'] },
) as fc.Arbitrary<Round>;

interface Lead {
  readonly role: 'system' | 'developer';
  readonly text: string;
  readonly parts?: readonly ContentPart[];
  readonly name?: string;
}

const lead = fc
  .record(
    { role: fc.constantFrom('system', 'developer'), text: words, mark: cacheFor, name },
    { requiredKeys: ['role', 'text'] },
  )
  .map(({ mark, ...said }) => {
    return mark === undefined ? said : { ...said, parts: [{ type: 'text', text: said.text, cacheFor: mark }] };
  }) as fc.Arbitrary<Lead>;

const settings = fc.record(
  {
    temperature: fc.constantFrom(0, 0.2, 1, 1.5),
    top_p: fc.constantFrom(0.5, 0.95, 1),
    top_k: fc.constantFrom(1, 40),
    stop: fc.constantFrom('END', ['a', 'b'], ['\n', 'b']),
    seed: fc.constant(5),
    frequency_penalty: fc.constant(0.5),
  },
  { requiredKeys: [] },
);

const reasoning = fc.oneof(
  fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh').map((effort) => ({ effort })),
  fc.constantFrom(1_024, 3_333).map((tokensMax) => ({ tokensMax })),
  fc.boolean().map((enabled) => ({ enabled })),
) as fc.Arbitrary<NonNullable<Turn['reasoning']>>;

const TOOLS: NonNullable<Turn['tools']> = [
  {
    name: 'find',
    description: 'Finds "it".',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: true,
  },
  { name: 'get_time', parameters: { type: 'object', properties: {} } },
];

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const FORMAT = { type: 'json_schema', json_schema: { name: 'response', schema: SCHEMA, strict: true } };

const choice = fc.constantFrom<NonNullable<Turn['toolChoice']>>('auto', 'none', 'required', { name: 'find' });

export const anyTurn: fc.Arbitrary<Turn> = fc
  .record({
    leads: fc.array(lead, { maxLength: 2 }),
    /** The assistant speaks first. */
    greeting: fc.option(words, { nil: undefined }),
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
    /** The conversation ends with the results of its last calls instead of another question. */
    inLoop: fc.boolean(),
    stream: fc.boolean(),
    sampling: settings,
    reasoning: fc.option(reasoning, { nil: undefined }),
    tools: fc.boolean(),
    markedTools: fc.boolean(),
    toolChoice: fc.option(choice, { nil: undefined }),
    serial: fc.boolean(),
    format: fc.boolean(),
    user: fc.option(fc.constant('u-1'), { nil: undefined }),
  })
  .map((made): Turn => {
    const turn: Mutable<Turn> = {
      kind: 'conversation',
      models: ['author/model'],
      messages: [...made.leads, ...greetingOf(made.greeting), ...messagesOf(made.rounds, made.inLoop)],
      stream: made.stream,
      sampling: made.sampling,
      preferences: { allowFallbacks: true },
    };
    if (made.reasoning !== undefined) turn.reasoning = made.reasoning;
    if (made.user !== undefined) turn.user = made.user;
    if (made.format) turn.responseFormat = FORMAT;
    if (made.tools) {
      turn.tools = made.markedTools ? TOOLS.map((tool) => ({ ...tool, cacheFor: '5m' })) : TOOLS;
      if (made.toolChoice !== undefined) turn.toolChoice = made.toolChoice;
      if (made.serial) turn.parallelToolCalls = false;
    }
    return turn;
  });

function greetingOf(text: string | undefined): TurnMessage[] {
  return text === undefined ? [] : [{ role: 'assistant', text }];
}

function messagesOf(rounds: readonly Round[], inLoop: boolean): TurnMessage[] {
  const messages: TurnMessage[] = [];
  let calls = 0;
  rounds.forEach((round, at) => {
    messages.push({ role: 'user', ...round.asked, ...(round.by === undefined ? {} : { name: round.by }) });
    const isLast = at === rounds.length - 1;
    if (isLast && !(inLoop && round.calls.length > 0)) return;
    const made = round.calls.map(
      ({ style, tool, arguments: text }): ToolCall => ({ id: `${style}${calls++}`, name: tool, arguments: text }),
    );
    messages.push(answerOf(round.answer, made));
    made.forEach(({ id, name: toolName }, index) => {
      const { content: result = { text: '' }, ...beside } = round.results[index] ?? {};
      messages.push({ role: 'tool', toolCallId: id, toolName, ...result, ...beside });
    });
  });
  return messages;
}

function answerOf({ text = null, ordered, ...answer }: Round['answer'], calls: readonly ToolCall[]): Assistant {
  const said = text === null && calls.length === 0 ? 'Yes.' : text;
  const plain: Assistant = {
    role: 'assistant',
    text: said,
    ...answer,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
  // Only messages of the dialect with blocks have an order, and these have neither a name nor a refusal.
  if (ordered === undefined || said === null || 'name' in answer || 'refusal' in answer) return plain;
  return {
    ...plain,
    blocks: [
      { type: 'text', text: said, cacheFor: ordered },
      ...(answer.reasoningDetails ?? []).map((detail) => ({ type: 'reasoning', detail }) as const),
      ...calls.map((call) => ({ type: 'call', call }) as const),
    ],
  };
}
