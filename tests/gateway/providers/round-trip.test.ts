import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Effort, Endpoint, ReasoningControls } from '../../../actors/terms/endpoint.ts';
import type { Wire } from '../../../actors/terms/wire.ts';
import { parse as parseChat } from '../../../gateway/dialects/chat/parse.ts';
import { parse as parseMessages } from '../../../gateway/dialects/messages/parse.ts';
import { BEGINNING } from '../../../gateway/providers/alternating.ts';
import { adapterOf } from '../../../gateway/providers/call/target.ts';
import { EFFORT_SHARES } from '../../../gateway/providers/messages/thinking.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import { reasoningRule } from '../../../gateway/routing/eligibility/reasoning.ts';
import { honoured } from '../../../gateway/routing/honoured.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { bounded } from '../../support/bounded.ts';
import { endpointOf } from '../../support/model/endpoints.ts';
import { anyTurn } from './any-turn.ts';
import { readConverse } from './bedrock/as-messages.ts';
import { readCohere } from './cohere/as-turn.ts';
import { readGemini } from './gemini/as-turn.ts';
import { readOllama } from './ollama/as-chat.ts';
import { readResponses } from './responses/as-turn.ts';
import { MESSAGES_TARGET } from './scene.ts';
import { factsOf, lostFacts } from './turn-facts.ts';

/**
 * Any turn, written in the wire of a provider and read back: what is missing or different is exactly what `honoured`
 * reports as false. A wire joins by its rows: an endpoint that declares everything, and how a body of this wire is read.
 */

const it = bounded(test, 120_000);
const RUNS = Number(process.env.ROUND_TRIPS ?? 300);
const CEILING = 20_000;

interface Row {
  readonly endpoint: Partial<Endpoint>;
  /** The turn that a body asks for; `asked` decides where one body says two things that mean the same. */
  readonly read: (body: Readonly<Record<string, unknown>>, asked: Turn) => Turn;
  /** Turns that this row leaves to a test of its own. */
  readonly skips?: (turn: Turn) => boolean;
}

const DECLARED: Partial<Endpoint> = {
  supportedParameters: [
    'temperature',
    'top_p',
    'top_k',
    'stop',
    'seed',
    'frequency_penalty',
    'tools',
    'parallel_tool_calls',
    'structured_outputs',
    'response_format',
    'reasoning',
    'reasoning_effort',
  ],
  inputModalities: ['text', 'image', 'file'],
};
const EFFORTS: readonly Effort[] = ['xhigh', 'high', 'medium', 'low', 'minimal', 'none'];

const DEMANDING: Wire = {
  rename: { seed: 'random_seed' },
  omit: ['user', 'messages.name', 'frequency_penalty', 'stream_options'],
  exclusive: [['temperature', 'top_p']],
  toolId: { characters: 'abcdefghijklmnopqrstuvwxyz0123456789', min: 9, max: 9 },
  systemRole: 'developer',
};

const DEMANDING_RESPONSES: Wire = {
  rename: { safety_identifier: 'user' },
  omit: ['instructions', 'include', 'top_p'],
  exclusive: [['reasoning', 'temperature']],
  systemRole: 'system',
};

const ROWS: Readonly<Record<string, Row>> = {
  chat: {
    endpoint: { reasoning: { efforts: EFFORTS, mandatory: false } },
    read: (body) => parseChat(body),
  },
  'chat of a model without reasoning': {
    endpoint: { reasoning: null },
    read: (body) => parseChat(body),
  },
  'chat as an endpoint declares it': {
    endpoint: {
      target: { ...MESSAGES_TARGET, dialect: 'chat', wire: DEMANDING },
      reasoning: { efforts: EFFORTS, mandatory: false },
    },
    read: ({ random_seed: seed, ...body }) => parseChat({ ...body, seed }),
  },
  'messages by effort': messagesRow({ efforts: EFFORTS, mandatory: false }),
  'messages by budget': messagesRow({ mandatory: false, budget: { min: 1_024, max: 64_000 } }),
  responses: {
    endpoint: {
      target: { ...MESSAGES_TARGET, dialect: 'responses' },
      reasoning: { efforts: EFFORTS, mandatory: false },
    },
    read: readResponses,
  },
  'responses as an endpoint declares it': {
    endpoint: {
      target: { ...MESSAGES_TARGET, dialect: 'responses', wire: DEMANDING_RESPONSES },
      reasoning: { efforts: EFFORTS, mandatory: false },
    },
    read: ({ user: safety_identifier, ...body }, asked) => readResponses({ ...body, safety_identifier }, asked),
  },
  'bedrock by effort': bedrockRow({ efforts: EFFORTS, mandatory: false }, { cacheControl: true }),
  ollama: ollamaRow({}),
  'ollama without earlier thinking': ollamaRow({ reasoningHistory: 'none' }),
  'bedrock by budget, without cache points': bedrockRow({ mandatory: false, budget: { min: 1_024, max: 64_000 } }, {}),
  'cohere by effort': cohereRow({ efforts: EFFORTS, mandatory: false }),
  'cohere by budget': cohereRow({ mandatory: false, budget: { min: 1, max: 64_000 } }),
  'cohere of a model that plans its calls': cohereRow(null),
  'gemini by level': geminiRow('gemini-3-pro', { efforts: EFFORTS, mandatory: false }),
  'gemini by budget': geminiRow('gemini-2.5-pro', { mandatory: false, budget: { min: 128, max: 64_000 } }),
};

/** The server takes no choice of tools but none at all, which leaves them out. */
function ollamaRow(wire: Wire): Row {
  return {
    endpoint: {
      target: { ...MESSAGES_TARGET, dialect: 'ollama', wire },
      reasoning: { efforts: ['high', 'medium', 'low', 'none'], mandatory: false },
    },
    read: readOllama,
    skips: ({ toolChoice }) => toolChoice === 'none',
  };
}

function cohereRow(reasoning: ReasoningControls | null): Row {
  return {
    endpoint: { target: { ...MESSAGES_TARGET, dialect: 'cohere' }, reasoning },
    read: (body, asked) => {
      const { thinking: { type = '', token_budget } = {}, ...turn } = readCohere(body, asked);
      if (type === '') return turn;
      const thought = token_budget === undefined ? { type } : { type, budget_tokens: token_budget };
      return { ...turn, ...reasoningOf(thought, undefined, undefined) };
    },
  };
}

function geminiRow(upstreamId: string, reasoning: ReasoningControls): Row {
  return {
    endpoint: { target: { ...MESSAGES_TARGET, dialect: 'gemini', upstreamId }, reasoning },
    read: (body, asked) => withoutBeginning(readGemini(body, asked, CEILING)),
  };
}

function bedrockRow(reasoning: ReasoningControls, wire: Wire): Row {
  return {
    endpoint: { target: { ...MESSAGES_TARGET, dialect: 'bedrock', wire }, reasoning },
    read: readBedrock,
    skips: ({ toolChoice }) => toolChoice === 'none',
  };
}

function messagesRow(reasoning: ReasoningControls): Row {
  return { endpoint: { target: MESSAGES_TARGET, reasoning }, read: readMessages };
}

/** Claude's thinking is a field of the model there. */
function readBedrock(body: Readonly<Record<string, unknown>>, asked: Turn): Turn {
  const { thinking, output_config, ...turn } = readConverse(body, asked) as Turn & Thought;
  return { ...withoutBeginning(turn), ...reasoningOf(thinking, output_config?.effort, asked.reasoning?.enabled) };
}

interface Thought {
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
  readonly output_config?: { readonly effort?: Effort };
}

/** Callers of this dialect cannot ask for thinking, and name no user; providers read both. */
function readMessages(body: Readonly<Record<string, unknown>>, { reasoning: asked }: Turn): Turn {
  const { thinking, output_config, metadata } = body as Thought & { metadata?: { user_id: string } };
  const choice = body.tool_choice as { disable_parallel_tool_use?: boolean } | undefined;
  return {
    ...withoutBeginning(parseMessages(body)),
    ...(choice?.disable_parallel_tool_use ? { parallelToolCalls: false } : {}),
    ...(metadata === undefined ? {} : { user: metadata.user_id }),
    ...reasoningOf(thinking, output_config?.effort, asked?.enabled),
  };
}

/** Without the first turn that the wire made up. */
function withoutBeginning(turn: Turn): Turn {
  return { ...turn, messages: turn.messages.filter(({ text }) => text !== BEGINNING) };
}

function reasoningOf(
  thinking: Thought['thinking'],
  effort: Effort | undefined,
  switched: boolean | undefined,
): Pick<Turn, 'reasoning'> {
  if (effort !== undefined) return { reasoning: { effort } };
  if (thinking === undefined) return {};
  const { type, budget_tokens: tokens } = thinking;
  if (tokens === undefined || switched) return { reasoning: { enabled: type !== 'disabled' } };
  const share = Object.entries(EFFORT_SHARES).findLast(([, part]) => Math.floor(part * CEILING) === tokens);
  return { reasoning: share === undefined ? { tokensMax: tokens } : { effort: share[0] as Effort } };
}

for (const [name, { endpoint: declared, read, skips }] of Object.entries(ROWS)) {
  it(`${name}: a turn loses nothing on its way but what honoured reports (rule I51)`, () => {
    const endpoint = endpointOf({ ...DECLARED, ...declared });
    const write = adapterOf(endpoint)?.writer(endpoint);
    fc.assert(
      fc.property(anyTurn, (turn) => {
        fc.pre(skips?.(turn) !== true);
        fc.pre(turn.reasoning === undefined || isServed(endpoint, turn.reasoning));
        const body = written(() => write?.(turn, CEILING));
        if (body === null) return;
        const lost = lostFacts(factsOf(turn, CEILING), factsOf(read(JSON.parse(body), turn), CEILING));
        assert.equal(lost, reported(turn, endpoint));
      }),
      { numRuns: RUNS },
    );
  });
}

function isServed(endpoint: Endpoint, reasoning: NonNullable<Turn['reasoning']>): boolean {
  return endpoint.reasoning !== null && reasoningRule(endpoint, reasoning) === null;
}

/** Null: the wire has no form for the turn, which is refused to the caller. */
function written(write: () => unknown): string | null {
  try {
    return write() as string;
  } catch (error) {
    if (error instanceof ProviderFailure && error.refusal?.code === 'unsupported_parameter') return null;
    throw error;
  }
}

function reported(turn: Turn, endpoint: Endpoint): readonly string[] {
  const all = Object.entries(honoured(turn, endpoint, CEILING));
  return all.flatMap(([name, held]) => (held ? [] : [name])).sort();
}

test.run();
