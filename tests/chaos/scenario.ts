import { TALKING_WIRES, wireModel } from './wires.ts';

/**
 * The requests of the chaos workload, each with its expected outcome in the absence of faults. The nonce travels as
 * `user` (as the session in dialects where a user has no effect) and in the provider's directive, so that client,
 * provider and generation row can be joined.
 */
export interface Scenario {
  readonly name: string;
  readonly nonce: string;
  readonly model: string;
  readonly stream: boolean;
  readonly expects: 'ok' | 'refused' | 'broken' | 'any';
  readonly dialect: 'chat' | 'completions' | 'messages' | 'responses';
  /** The expected content of a complete answer. */
  readonly expected: Expected;
  /** Over a WebSocket, behind other turns of the same key. */
  readonly socket: boolean;
  /** The client disconnects after this many frames. */
  readonly leaveAfter: number | null;
  /** Uses the account with almost no money. */
  readonly poor: boolean;
  /** Uses a new connection. */
  readonly fresh: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Members that are absent are not checked. */
export interface Expected {
  /** Chunks of the numbered text. */
  readonly chunks?: number;
  /** One complete call of this tool. */
  readonly call?: string;
  readonly images?: number;
  /** A word of the text. */
  readonly says?: string;
}

interface Shape {
  readonly name: string;
  readonly weight: number;
  readonly model: string;
  readonly directive: object;
  readonly expected: Expected;
  readonly stream?: boolean;
  readonly expects?: Scenario['expects'];
  readonly leaveAfter?: number;
  readonly poor?: boolean;
  readonly members?: object;
  readonly dialect?: Scenario['dialect'];
  readonly socket?: true;
  /** The request contains a picture. */
  readonly picture?: true;
}

const TOOLS = {
  tools: [
    {
      type: 'function',
      function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ],
  tool_choice: 'required',
};

const TEXT: readonly Shape[] = [
  { name: 'whole', weight: 30, model: 'sim/fast', directive: {}, expected: { chunks: 16 } },
  {
    ...{ name: 'stream', weight: 20, model: 'sim/fast', stream: true },
    ...{ directive: { tokens: 40, tps: 80 }, expected: { chunks: 40 } },
  },
  {
    ...{ name: 'long stream', weight: 6, model: 'sim/slow', stream: true },
    ...{ directive: { tokens: 40, tps: 30 }, expected: { chunks: 40 } },
  },
  {
    ...{ name: 'slow whole', weight: 6, model: 'sim/slow' },
    ...{ directive: { tokens: 10, tps: 40 }, expected: { chunks: 10 } },
  },
  { name: 'exact prices', weight: 4, model: 'sim/reasoner', directive: { tokens: 9 }, expected: { chunks: 9 } },
  {
    ...{ name: 'unreported usage', weight: 3, model: 'sim/no-usage', stream: true },
    ...{ directive: {}, expected: { chunks: 16 } },
  },
];

/** Text completions: by endpoints with conversations, and by those that continue the text. */
const COMPLETIONS: readonly Shape[] = ['sim/fast', wireModel('completions')].flatMap((model): readonly Shape[] => [
  {
    ...{ name: `completion by ${model}`, weight: 4, model, dialect: 'completions' },
    ...{ directive: {}, expected: { chunks: 16 } },
  },
  {
    ...{ name: `streamed completion by ${model}`, weight: 5, model, dialect: 'completions', stream: true },
    ...{ directive: { tokens: 30, tps: 80 }, expected: { chunks: 30 } },
  },
  {
    ...{
      name: `cut completion by ${model}`,
      weight: 1,
      model,
      dialect: 'completions',
      stream: true,
      expects: 'broken',
    },
    ...{ directive: { cut_after: 5, tps: 200 }, expected: {} },
  },
]);

const MESSAGES_TOOLS = {
  tools: [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
  tool_choice: { type: 'any' },
};

const MESSAGES: readonly Shape[] = [
  {
    ...{ name: 'message', weight: 5, model: 'sim/fast', dialect: 'messages' },
    ...{ directive: {}, expected: { chunks: 16 } },
  },
  {
    ...{ name: 'streamed message', weight: 6, model: 'sim/fast', dialect: 'messages', stream: true },
    ...{ directive: { tokens: 30, tps: 80 }, expected: { chunks: 30 } },
  },
  {
    ...{ name: 'tool of a message', weight: 3, model: 'sim/tools', dialect: 'messages', stream: true },
    ...{ members: MESSAGES_TOOLS, directive: { tps: 60 }, expected: { call: 'weather' } },
  },
  {
    ...{ name: 'cut message', weight: 1, model: 'sim/fast', dialect: 'messages', stream: true, expects: 'broken' },
    ...{ directive: { cut_after: 5, tps: 200 }, expected: {} },
  },
];

const RESPONSES_TOOLS = {
  tools: [
    { type: 'function', name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  ],
  tool_choice: 'required',
};

const RESPONSES: readonly Shape[] = [
  {
    ...{ name: 'response', weight: 5, model: 'sim/fast', dialect: 'responses' },
    ...{ directive: {}, expected: { chunks: 16 } },
  },
  {
    ...{ name: 'streamed response', weight: 6, model: 'sim/fast', dialect: 'responses', stream: true },
    ...{ directive: { tokens: 30, tps: 80 }, expected: { chunks: 30 } },
  },
  {
    ...{ name: 'tool of a response', weight: 3, model: 'sim/tools', dialect: 'responses', stream: true },
    ...{ members: RESPONSES_TOOLS, directive: { tps: 60 }, expected: { call: 'weather' } },
  },
  {
    ...{ name: 'cut response', weight: 1, model: 'sim/fast', dialect: 'responses', stream: true, expects: 'broken' },
    ...{ directive: { cut_after: 5, tps: 200 }, expected: {} },
  },
];

const SOCKET = { dialect: 'responses', stream: true, socket: true } as const;

/** Turns over WebSockets. One that is cut is a caller that left. */
const SOCKETS: readonly Shape[] = [
  {
    ...{ name: 'turn of a socket', weight: 7, model: 'sim/fast', ...SOCKET },
    ...{ directive: { tokens: 30, tps: 80 }, expected: { chunks: 30 } },
  },
  {
    ...{ name: 'tool of a socket', weight: 3, model: 'sim/tools', ...SOCKET, members: RESPONSES_TOOLS },
    ...{ directive: { tps: 60 }, expected: { call: 'weather' } },
  },
  {
    ...{ name: 'cut turn of a socket', weight: 1, model: 'sim/fast', ...SOCKET, expects: 'broken' },
    ...{ directive: { cut_after: 5, tps: 200 }, expected: {} },
  },
  {
    ...{ name: 'socket that is left', weight: 2, model: 'sim/slow', ...SOCKET, expects: 'any', leaveAfter: 10 },
    ...{ directive: { tokens: 60, tps: 30 }, expected: {} },
  },
  {
    ...{ name: 'no money for a socket', weight: 1, model: 'sim/fast', ...SOCKET, expects: 'refused', poor: true },
    ...{ directive: {}, expected: {} },
  },
];

/** A call without being asked for one: not every wire can demand it. */
const CALLING = { tps: 60, tool_calls: [{ name: 'weather', arguments: '{"city":"x"}' }] };

/** Every wire of providers, each by callers of another dialect: an answer, a stream, a call, and a stream that is cut. */
const UPSTREAM_WIRES: readonly Shape[] = TALKING_WIRES.flatMap((wire) => [
  {
    ...{ name: `by ${wire}`, weight: 1, model: wireModel(wire), dialect: 'messages' },
    ...{ directive: {}, expected: { chunks: 16 } },
  },
  {
    ...{ name: `streamed by ${wire}`, weight: 2, model: wireModel(wire), stream: true },
    ...{ directive: { tokens: 30, tps: 80 }, expected: { chunks: 30 } },
  },
  {
    ...{ name: `tool by ${wire}`, weight: 1, model: wireModel(wire), dialect: 'responses', stream: true },
    ...{ members: { tools: RESPONSES_TOOLS.tools }, directive: CALLING, expected: { call: 'weather' } },
  },
  {
    ...{ name: `cut by ${wire}`, weight: 1, model: wireModel(wire), stream: true, expects: 'broken' },
    ...{ directive: { cut_after: 5, tps: 200 }, expected: {} },
  },
]);

/** Pictures in requests and answers; one provider generates them, three accept them. */
const MEDIA: readonly Shape[] = [
  {
    ...{ name: 'seen', weight: 4, model: 'sim/vision', picture: true },
    ...{ directive: { tps: 80 }, expected: { says: 'image' } },
  },
  {
    ...{ name: 'seen, streamed', weight: 4, model: 'sim/vision', picture: true, stream: true },
    ...{ directive: { tps: 80 }, expected: { says: 'image' } },
  },
  {
    ...{ name: 'drawn', weight: 3, model: 'sim/painter', members: { modalities: ['image', 'text'] } },
    ...{ directive: {}, expected: { images: 1 } },
  },
  {
    ...{ name: 'drawn, streamed', weight: 3, model: 'sim/painter', stream: true },
    ...{ members: { modalities: ['image', 'text'] }, directive: { tps: 80 }, expected: { images: 1 } },
  },
];

const CALLS: readonly Shape[] = [
  {
    ...{ name: 'tools', weight: 5, model: 'sim/tools', members: TOOLS },
    ...{ directive: {}, expected: { call: 'weather' } },
  },
  {
    ...{ name: 'streamed tools', weight: 6, model: 'sim/tools', members: TOOLS, stream: true },
    ...{ directive: { tps: 60 }, expected: { call: 'weather' } },
  },
];

/** Failures of a provider while the cluster is healthy. */
const TROUBLE: readonly Shape[] = [
  {
    ...{ name: 'failed over', weight: 3, model: 'sim/fast' },
    ...{ directive: { only_on: 'sim-a', status: 500 }, expected: { chunks: 16 } },
  },
  {
    ...{ name: 'retried', weight: 3, model: 'sim/fast', stream: true },
    ...{ directive: { fail_first: 1, status: 503 }, expected: { chunks: 16 } },
  },
  {
    ...{ name: 'next model', weight: 3, model: 'sim/thinker', members: { models: ['sim/fast'] } },
    ...{ directive: { only_on: 'sim-c', status: 503 }, expected: { chunks: 16 } },
  },
  {
    ...{
      name: 'next model, streamed',
      weight: 3,
      model: 'sim/thinker',
      stream: true,
      members: { models: ['sim/fast'] },
    },
    ...{ directive: { only_on: 'sim-c', status: 500, tps: 80 }, expected: { chunks: 16 } },
  },
  {
    ...{ name: 'cut upstream', weight: 2, model: 'sim/fast', stream: true, expects: 'broken' },
    ...{ directive: { cut_after: 5, tps: 200 }, expected: {} },
  },
  {
    ...{ name: 'client leaves', weight: 3, model: 'sim/slow', stream: true, expects: 'any', leaveAfter: 6 },
    ...{ directive: { tokens: 60, tps: 30 }, expected: {} },
  },
  {
    ...{ name: 'no money', weight: 3, model: 'sim/fast', expects: 'refused', poor: true },
    ...{ directive: {}, expected: {} },
  },
];

const SHAPES = [
  ...TEXT,
  ...COMPLETIONS,
  ...MESSAGES,
  ...RESPONSES,
  ...SOCKETS,
  ...UPSTREAM_WIRES,
  ...MEDIA,
  ...CALLS,
  ...TROUBLE,
];
const WEIGHTS = SHAPES.reduce((sum, shape) => sum + shape.weight, 0);

/**
 * Scenario number `turn` of a run: first each one once, so that a short run has them all, then by weight; `chance` is
 * uniform in [0, 1).
 */
export function scenario(nonce: string, turn: number, chance: number): Scenario {
  const once = SHAPES[turn];
  if (once !== undefined) return fromShape(once, nonce);
  let left = chance * WEIGHTS;
  for (const shape of SHAPES) {
    left -= shape.weight;
    if (left < 0) return fromShape(shape, nonce);
  }
  return fromShape(SHAPES[0] as Shape, nonce);
}

/** The smallest request that holds, calls and settles. */
export function probe(nonce: string): Scenario {
  return fromShape(
    { name: 'probe', weight: 0, model: 'sim/fast', directive: { tokens: 2 }, expected: { chunks: 2 } },
    nonce,
  );
}

/** A stream of that many seconds. */
export function long(nonce: string, seconds: number): Scenario {
  const directive = { tokens: 90, tps: 90 / seconds };
  const expected = { chunks: 90 };
  return fromShape({ name: 'long', weight: 0, model: 'sim/slow', directive, expected, stream: true }, nonce);
}

/** A chat about a stored PDF. */
export function about(nonce: string, file_id: string): Scenario {
  const plain = fromShape(
    {
      ...{ name: 'about a file', weight: 0, model: 'sim/vision' },
      ...{ directive: { tps: 80 }, expected: { says: 'file application/pdf' } },
    },
    nonce,
  );
  const text = `What is in it? @sim ${JSON.stringify({ id: nonce, tps: 80 })}`;
  const content = [
    { type: 'text', text },
    { type: 'file', file: { file_id } },
  ];
  return { ...plain, body: { ...plain.body, messages: [{ role: 'user', content }] } };
}

function fromShape(shape: Shape, nonce: string): Scenario {
  const stream = shape.stream ?? false;
  const named = shape.dialect !== 'messages' && shape.dialect !== 'responses';
  return {
    name: shape.name,
    nonce,
    model: shape.model,
    stream,
    expects: shape.expects ?? 'ok',
    dialect: shape.dialect ?? 'chat',
    expected: shape.expected,
    leaveAfter: shape.leaveAfter ?? null,
    poor: shape.poor ?? false,
    fresh: true,
    socket: shape.socket ?? false,
    headers: named ? {} : { 'x-session-id': nonce },
    body: {
      model: shape.model,
      stream,
      ...(named ? { user: nonce } : {}),
      // The headers of a socket are those of its first request.
      ...(shape.socket ? { prompt_cache_key: nonce } : {}),
      [shape.dialect === 'responses' ? 'max_output_tokens' : 'max_tokens']: 100,
      ...asked(shape, `Say something. @sim ${JSON.stringify({ id: nonce, ...shape.directive })}`),
      ...shape.members,
    },
  };
}

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function asked({ dialect, picture }: Shape, text: string): object {
  if (dialect === 'completions') return { prompt: text };
  if (dialect === 'responses') return { input: text };
  const parts = [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: PIXEL } },
  ];
  return { messages: [{ role: 'user', content: picture ? parts : text }] };
}
