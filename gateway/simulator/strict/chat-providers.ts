import { type ChatSpelling, chatWireOf, SIGNED_CALL } from '../wires/chat-wire.ts';
import {
  type ChatBody,
  type ChatTurn,
  callsWithout,
  MESSAGE,
  STANDARD,
  strangeCallId,
  strayResult,
  unknownInMessages,
  unknownMember,
  unsignedCall,
} from './chat-rules.ts';
import { openaiCompletions, refusedByVllm } from './completions-rules.ts';
import { openaiResponses, perplexityResponses, xaiResponses } from './responses-rules.ts';
import type { StrictProvider, StrictRefusal } from './strict-provider.ts';

/** A provider of the table: how it answers, and its refusal of a request; null for one that it answers. */
interface Row {
  readonly answers: ChatSpelling;
  readonly refuses: (body: ChatBody) => StrictRefusal | null;
  /** Of its further wires. */
  readonly refusesResponses?: NonNullable<StrictProvider['refusesResponses']>;
  readonly refusesCompletions?: NonNullable<StrictProvider['refusesCompletions']>;
}

/** Members of a request that most providers take besides the standard ones. */
const COMMON = [...STANDARD, 'stream_options', 'seed', 'user', 'logprobs', 'top_logprobs', 'logit_bias'];
/** Messages with the name of their author. */
const NAMED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(MESSAGE).map(([role, names]) => [role, role === 'tool' ? names : [...names, 'name']]),
);

/** Reads anything and ignores what it does not know; only a result without its call is refused. */
const open = (answers: ChatSpelling): Row => ({ answers, refuses: refusedResult });

function refusedResult(body: ChatBody): StrictRefusal | null {
  const stray = strayResult(body);
  return stray === undefined ? null : refusal(400, `No tool call found for tool_call_id ${stray}`);
}

/**
 * The published rules of chat providers, by preset. A rule that no declaration can express, such as a price tier or a
 * limit per minute, is not in the table; neither is a rule that only one model of a provider has.
 */
const ROWS: Readonly<Record<string, Row>> = {
  deepseek: {
    answers: { reasonsIn: 'reasoning_content' },
    refuses: deepseek,
  },
  moonshot: {
    answers: { reasonsIn: 'reasoning_content' },
    refuses: (body) => {
      const at = isThinking(body) ? callsWithout(body, 'reasoning_content') : undefined;
      if (at === undefined) return null;
      return refusal(
        400,
        `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
      );
    },
  },
  groq: { answers: { reasonsIn: 'reasoning' }, refuses: groq },
  mistral: { answers: { reasonsIn: 'parts', callId: nineCharacters }, refuses: mistral },
  cerebras: { answers: { reasonsIn: 'reasoning' }, refuses: cerebras },
  'google-compatible': { answers: { reasonsIn: 'signature' }, refuses: google },
  openai: {
    answers: { reasonsIn: 'none' },
    refuses: openai,
    refusesResponses: openaiResponses('openai'),
    refusesCompletions: openaiCompletions,
  },
  azure: { answers: { reasonsIn: 'none' }, refuses: openai, refusesResponses: openaiResponses('azure') },
  openrouter: open({ reasonsIn: 'details' }),
  zai: open({ reasonsIn: 'reasoning_content' }),
  xai: { ...open({ reasonsIn: 'reasoning_content' }), refusesResponses: xaiResponses },
  together: open({ reasonsIn: 'reasoning' }),
  fireworks: open({ reasonsIn: 'reasoning_content' }),
  vllm: { ...open({ reasonsIn: 'reasoning' }), refusesCompletions: refusedByVllm },
  sglang: open({ reasonsIn: 'reasoning_content' }),
  llamacpp: open({ reasonsIn: 'reasoning_content' }),
  dashscope: open({ reasonsIn: 'reasoning_content' }),
  bedrock: open({ reasonsIn: 'none' }),
  perplexity: { answers: { reasonsIn: 'none' }, refuses: sonar, refusesResponses: perplexityResponses },
};

/** Each of them, by the name of its preset. */
export const CHAT_PROVIDERS: readonly (readonly [string, StrictProvider])[] = Object.entries(ROWS).map(
  ([name, { answers, refuses, ...second }]) => [
    name,
    { refuses: (body) => refuses(body as ChatBody), chatWire: chatWireOf(answers), ...second },
  ],
);

/** Models that never think have it in their name. */
function isThinking({ thinking, model = '' }: ChatBody): boolean {
  return (thinking as { readonly type?: string } | undefined)?.type !== 'disabled' && !model.includes('fast');
}

/** Demands the reasoning of every answer of a turn with tools, and knows no developer. */
function deepseek(body: ChatBody): StrictRefusal | null {
  const { messages = [], tools } = body;
  const at = messages.findIndex(({ role }) => role === 'developer');
  if (at >= 0) {
    return refusal(400, `Failed to deserialize the JSON body: messages[${at}].role: unknown variant \`developer\``);
  }
  const isWithout = (message: ChatTurn): boolean => message.role === 'assistant' && !message.reasoning_content;
  const without =
    tools === undefined ? callsWithout(body, 'reasoning_content') !== undefined : messages.some(isWithout);
  if (!without || !isThinking(body)) return null;
  return refusal(400, 'The `reasoning_content` in the thinking mode must be passed back to the API.');
}

/** Closed in messages, where reasoning is a member of models that reason. */
function groq(body: ChatBody): StrictRefusal | null {
  const refused = ['logprobs', 'top_logprobs', 'logit_bias'].find((name) => name in body);
  if (refused !== undefined) return refusal(400, `\`${refused}\` is not supported with this model`);
  const known = [...COMMON, 'reasoning_effort', 'reasoning_format', 'include_reasoning', 'max_completion_tokens'];
  const strange = unknownMember(body, known);
  if (strange !== undefined) return refusal(400, `property '${strange}' is unsupported`);
  const found = unknownInMessages(body, MESSAGE, isThinking(body) ? ['reasoning'] : []);
  if (found === undefined) return refusedResult(body);
  const { at, role, name } = found;
  return refusal(
    400,
    `'messages.${at}' : for 'role:${role}' the following must be satisfied[('messages.${at}' : property '${name}' is unsupported)]`,
  );
}

/** Closed everywhere, with names of its own and ids of nine characters. */
function mistral(body: ChatBody): StrictRefusal | null {
  const own = ['random_seed', 'n', 'prediction', 'prompt_mode', 'reasoning_effort', 'safe_prompt', 'prompt_cache_key'];
  const known = [...STANDARD, ...own, 'metadata', 'guardrails', 'service_tier'];
  const strange = unknownMember(body, known);
  if (strange !== undefined) return extraForbidden(['body', strange]);
  const found = unknownInMessages(body, { ...MESSAGE, assistant: [...(MESSAGE.assistant ?? []), 'prefix'] });
  if (found !== undefined) return extraForbidden(['body', 'messages', found.at, found.role, found.name]);
  const id = strangeCallId(body, /^[a-zA-Z0-9]{9}$/);
  if (id === undefined) return refusedResult(body);
  const message = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`;
  const error = { object: 'error', message, type: 'invalid_function_call', param: null, code: '3280' };
  return { status: 400, body: JSON.stringify(error) };
}

function extraForbidden(loc: readonly (string | number)[]): StrictRefusal {
  const detail = [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' }];
  return { status: 422, body: JSON.stringify({ object: 'error', message: { detail }, type: 'invalid_request_error' }) };
}

function cerebras(body: ChatBody): StrictRefusal | null {
  const reasoning = ['reasoning_effort', 'reasoning_format', 'disable_reasoning', 'clear_thinking'];
  const known = [...COMMON, ...reasoning, 'max_completion_tokens', 'n', 'prediction', 'prompt_cache_key'];
  const strange = unknownMember(body, [...known, 'service_tier']);
  const found = unknownInMessages(body, NAMED, ['reasoning']);
  if (strange === undefined && found === undefined) return refusedResult(body);
  const path = strange ?? (found && `messages.${found.at}.${found.role}.${found.name}`);
  const message = `${path}: property '${path}' is unsupported`;
  const error = { message, type: 'invalid_request_error', param: 'validation_error', code: 'wrong_api_format' };
  return { status: 400, body: JSON.stringify(error) };
}

/** What Gemini accepts as the signature of a call that another model made. */
const UNSIGNED = 'skip_thought_signature_validator';

function google(body: ChatBody): StrictRefusal | null {
  const strange = unknownMember(body, [...COMMON, 'reasoning_effort', 'extra_body', 'max_completion_tokens', 'n']);
  if (strange !== undefined) {
    return googleRefusal(`Invalid JSON payload received. Unknown name "${strange}": Cannot find field.`);
  }
  const found = unknownInMessages(body, NAMED, ['extra_content', 'refusal']);
  if (found !== undefined) {
    return googleRefusal(
      `Invalid JSON payload received. Unknown name "${found.name}" at 'messages[${found.at}]': Cannot find field.`,
    );
  }
  const at = unsignedCall(body, [SIGNED_CALL, UNSIGNED]);
  if (at === undefined) return refusedResult(body);
  return googleRefusal(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call at position ${at}.`,
  );
}

function googleRefusal(message: string): StrictRefusal {
  return { status: 400, body: JSON.stringify([{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }]) };
}

function openai(body: ChatBody): StrictRefusal | null {
  const known = [
    ...COMMON,
    'max_completion_tokens',
    'reasoning_effort',
    'n',
    'metadata',
    'store',
    'modalities',
    'audio',
  ];
  const strange = unknownMember(body, known);
  if (strange !== undefined) return refusal(400, `Unknown parameter: '${strange}'.`);
  const found = unknownInMessages(body, NAMED, ['refusal', 'audio']);
  if (found !== undefined) return refusal(400, `Unknown parameter: 'messages[${found.at}].${found.name}'.`);
  return refusedResult(body);
}

/** The chat completions of Perplexity have ended. */
function sonar(): StrictRefusal {
  return refusal(403, 'Sonar is now the Agent API. Use /v1/responses instead of /chat/completions.');
}

function refusal(status: number, message: string): StrictRefusal {
  return {
    status,
    body: JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  };
}

/** Ids as Mistral makes them. */
function nineCharacters(id: string): string {
  return id
    .replace(/[^a-zA-Z0-9]/g, '')
    .padStart(9, 'x')
    .slice(-9);
}
