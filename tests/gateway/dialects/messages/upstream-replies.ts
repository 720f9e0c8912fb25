/**
 * Replies of providers in both dialects, one for each kind of answer, streamed and whole. Their order and members follow
 * what the recorded fixtures of public SDKs show of the real providers.
 */
export interface UpstreamReply {
  /** The frames of the stream, each a piece of its own on the wire. */
  readonly stream: readonly string[];
  readonly whole: object;
}

type Kind = 'text' | 'tools' | 'reasoning' | 'image' | 'refusal' | 'length' | 'stop' | 'error';
/** Those that only the chat dialect has. */
type ChatKind = Kind | 'parts' | 'cited';

/** Those that only the messages dialect has. */
type NativeKind = Kind | 'hosted';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const CHAT_USAGE = {
  prompt_tokens: 20,
  completion_tokens: 9,
  prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 6 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

function chat(
  deltas: readonly object[],
  message: object,
  finish: object,
  usage: object | null = CHAT_USAGE,
  beside: object = {},
): UpstreamReply {
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ id: 'up-1', choices: [{ index: 0, ...choice }], ...beside })}\n\n`;
  return {
    stream: [
      ...deltas.map((delta) => chunk({ delta, finish_reason: null })),
      chunk({ delta: {}, ...finish }),
      ...(usage === null ? [] : [`data: ${JSON.stringify({ id: 'up-1', choices: [], usage })}\n\n`]),
      'data: [DONE]\n\n',
    ],
    whole: {
      id: 'up-1',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, ...finish }],
      ...(usage === null ? {} : { usage }),
      ...beside,
    },
  };
}

const call = (index: number, more: object): object => ({ tool_calls: [{ index, ...more }] });
const begun = (index: number, id: string, name: string): object =>
  call(index, { id, type: 'function', function: { name, arguments: '' } });
const piece = (index: number, text: string): object => call(index, { function: { arguments: text } });

const SUMMARY = { type: 'reasoning.summary', summary: 'Weigh.', format: 'openai-responses-v1', index: 0 };
const SEALED = { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_1', format: 'openai-responses-v1', index: 1 };
const CHAT_IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };

const THOUGHT = { type: 'thinking', thinking: [{ type: 'text', text: 'Weigh.' }] };
const SOURCES = ['https://a.example/', 'https://b.example/'];
const RESULTS = [{ title: 'B', url: 'https://b.example/', snippet: 'of "b"' }];

export const CHAT: Readonly<Record<ChatKind, UpstreamReply>> = {
  text: chat(
    [{ role: 'assistant', content: '' }, { content: 'Hello "you",' }, { content: '\n日🚀' }],
    { content: 'Hello "you",\n日🚀' },
    { finish_reason: 'stop' },
  ),
  // The fragments of parallel calls alternate.
  tools: chat(
    [
      { content: 'Looking.' },
      begun(0, 'call_a', 'weather'),
      piece(0, '{"city":'),
      begun(1, 'call_b', 'time'),
      piece(1, '{"zone":"UTC"'),
      piece(0, '"Oslo"}'),
      begun(2, 'call_c', 'ping'),
      piece(1, '}'),
    ],
    {
      content: 'Looking.',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        { id: 'call_b', type: 'function', function: { name: 'time', arguments: '{"zone":"UTC"}' } },
        { id: 'call_c', type: 'function', function: { name: 'ping', arguments: '' } },
      ],
    },
    { finish_reason: 'tool_calls' },
  ),
  reasoning: chat(
    [
      { reasoning: 'Wei', reasoning_details: [{ ...SUMMARY, summary: 'Wei' }] },
      { reasoning: 'gh.', reasoning_details: [{ ...SUMMARY, summary: 'gh.' }] },
      { reasoning_details: [SEALED] },
      { content: 'Four.' },
    ],
    { reasoning: 'Weigh.', reasoning_details: [SUMMARY, SEALED], content: 'Four.' },
    { finish_reason: 'stop' },
  ),
  image: chat(
    [{ content: 'Here:' }, { images: [CHAT_IMAGE] }],
    { content: 'Here:', images: [CHAT_IMAGE] },
    {
      finish_reason: 'stop',
    },
  ),
  refusal: chat(
    [{ refusal: 'I will ' }, { refusal: 'not.' }],
    { content: null, refusal: 'I will not.' },
    {
      finish_reason: 'stop',
    },
  ),
  length: chat(
    [begun(0, 'call_a', 'weather'), piece(0, '{"city":"Os')],
    { content: null, tool_calls: [{ id: 'call_a', function: { name: 'weather', arguments: '{"city":"Os' } }] },
    { finish_reason: 'length' },
    { prompt_tokens: 20 },
  ),
  // As Mistral reasons, without a finish reason, and with a call without arguments.
  parts: chat(
    [{ content: [THOUGHT] }, { content: [{ type: 'text', text: 'Four.' }] }, begun(0, 'call_a', 'ping')],
    {
      content: [THOUGHT, { type: 'text', text: 'Four.' }],
      tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'ping' } }],
    },
    {},
  ),
  // As Perplexity names its sources, in every chunk.
  cited: chat(
    [{ content: 'One [1]' }, { content: ' [2].' }],
    { content: 'One [1] [2].' },
    { finish_reason: 'stop' },
    null,
    { citations: SOURCES, search_results: RESULTS },
  ),
  stop: chat([{ content: 'one two ' }], { content: 'one two ' }, { finish_reason: 'stop', stop_reason: 'three' }, null),
  error: {
    stream: [
      `data: ${JSON.stringify({ id: 'up-1', choices: [{ index: 0, delta: { content: 'Hel' } }] })}\n\n`,
      `data: ${JSON.stringify({ error: { code: 529, message: 'secret of the provider' } })}\n\n`,
    ],
    whole: { error: { code: 429, message: 'secret of the provider' } },
  },
};

const START_USAGE = { input_tokens: 10, cache_creation_input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 1 };

interface WireBlock {
  readonly begin: object;
  readonly deltas: readonly object[];
  readonly whole: object;
}

function frame(type: string, members: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

function native(blocks: readonly WireBlock[], stop: object, usage: object | null = START_USAGE): UpstreamReply {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'great-1' };
  const ending = { stop_sequence: null, ...stop };
  const message = { ...head, content: [], stop_reason: null, ...(usage === null ? {} : { usage }) };
  const stream = [frame('message_start', { message })];
  blocks.forEach(({ begin, deltas }, index) => {
    stream.push(frame('content_block_start', { index, content_block: begin }));
    if (index === 0) stream.push(frame('ping'));
    stream.push(...deltas.map((delta) => frame('content_block_delta', { index, delta })));
    stream.push(frame('content_block_stop', { index }));
  });
  const end = usage === null ? {} : { usage: { ...usage, output_tokens: 9 } };
  stream.push(frame('message_delta', { delta: ending, ...end }), frame('message_stop'));
  return { stream, whole: { ...head, content: blocks.map(({ whole }) => whole), ...ending, ...end } };
}

function text(...pieces: readonly string[]): WireBlock {
  const deltas = pieces.map((each) => ({ type: 'text_delta', text: each }));
  return { begin: { type: 'text', text: '' }, deltas, whole: { type: 'text', text: pieces.join('') } };
}

function tool(id: string, name: string, pieces: readonly string[], input: object): WireBlock {
  const begin = { type: 'tool_use', id, name, input: {} };
  const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return { begin, deltas, whole: { ...begin, input } };
}

function whole(block: object): WireBlock {
  return { begin: block, deltas: [], whole: block };
}

/** A search that the provider runs itself, and the text that cites what it found. */
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    { type: 'web_search_result', url: 'https://w.test/a', title: 'A "1"', encrypted_content: 'RW4=', page_age: null },
  ],
};
const CITED = {
  type: 'web_search_result_location',
  url: 'https://w.test/a',
  title: 'A "1"',
  cited_text: 'It is five.',
  encrypted_index: 'RWs=',
};

export const NATIVE: Readonly<Record<NativeKind, UpstreamReply>> = {
  hosted: native(
    [
      text('Searching. '),
      {
        begin: SEARCH,
        deltas: [{ type: 'input_json_delta', partial_json: '{"query":"q"}' }],
        whole: { ...SEARCH, input: { query: 'q' } },
      },
      whole(FOUND),
      {
        begin: { type: 'text', text: '', citations: [] },
        deltas: [
          { type: 'citations_delta', citation: CITED },
          { type: 'text_delta', text: 'Five.' },
        ],
        whole: { type: 'text', text: 'Five.', citations: [CITED] },
      },
    ],
    { stop_reason: 'pause_turn' },
  ),
  text: native([text('Hello "you",', '\n日🚀')], { stop_reason: 'end_turn' }),
  tools: native(
    [
      text('Looking.'),
      tool('toolu_a', 'weather', ['', '{"city":', '"Oslo"}'], { city: 'Oslo' }),
      tool('toolu_b', 'ping', [''], {}),
    ],
    { stop_reason: 'tool_use' },
  ),
  reasoning: native(
    [
      {
        begin: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: 'Wei' },
          { type: 'thinking_delta', thinking: 'gh.' },
          { type: 'signature_delta', signature: 'EqQB==' },
        ],
        whole: { type: 'thinking', thinking: 'Weigh.', signature: 'EqQB==' },
      },
      whole({ type: 'redacted_thinking', data: 'EmwK' }),
      // Thinking that the provider leaves out, but signs.
      {
        begin: { type: 'thinking', thinking: '', signature: '' },
        deltas: [{ type: 'signature_delta', signature: 'EsEC' }],
        whole: { type: 'thinking', thinking: '', signature: 'EsEC' },
      },
      text('Four.'),
    ],
    { stop_reason: 'end_turn' },
  ),
  image: native(
    [text('Here:'), whole({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } })],
    { stop_reason: 'end_turn' },
  ),
  refusal: native([text('I will not.')], {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'cyber', explanation: 'It could "harm".' },
  }),
  length: native([text('And so')], { stop_reason: 'model_context_window_exceeded' }),
  stop: native([text('one two ')], { stop_reason: 'stop_sequence', stop_sequence: 'three' }, null),
  error: {
    stream: [
      ...native([text('Hel')], { stop_reason: 'end_turn' }).stream.slice(0, 4),
      frame('error', { error: { type: 'overloaded_error', message: 'secret of the provider' } }),
    ],
    whole: { type: 'error', error: { type: 'overloaded_error', message: 'secret of the provider' } },
  },
};
