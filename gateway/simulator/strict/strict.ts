import { messagesFailure, SIGNATURE } from '../wires/messages-wire.ts';
import { converseRefusalOf } from './bedrock-rules.ts';
import { CHAT_PROVIDERS } from './chat-providers.ts';
import { refusedByCohere } from './cohere-rules.ts';
import { geminiRefusal } from './gemini-rules.ts';
import { type MessagesModel, refusalOf } from './messages-rules.ts';
import { ollamaRefusal } from './ollama-rules.ts';
import type { StrictProvider, StrictRefusal } from './strict-provider.ts';

/** Providers whose published rules the simulator enforces below `/strict/<name>`, by the name of their preset. */
export const STRICT: ReadonlyMap<string, StrictProvider> = new Map([
  ['anthropic', { refuses: anthropic }],
  ['minimax', { refuses: minimax }],
  ['bedrock', { refuses: bedrock }],
  ['ollama', { refuses: ollamaRefusal }],
  ['cohere', { refuses: refusedByCohere }],
  ...CHAT_PROVIDERS,
  ['google', { refuses: geminiRefusal }],
]);

/** The families of models by the beginning of their ids; any other name is a newer model. */
const FAMILIES: readonly (readonly [RegExp, MessagesModel])[] = [
  [/^claude-3-[05]/, { thinks: 'never', samplesTwice: true, prefills: true }],
  [/^claude-(3-7|(opus|sonnet)-4-(0|2025))/, { thinks: 'budget', samplesTwice: true, prefills: true }],
  [/^claude-(opus-4-[15]|(sonnet|haiku)-4-5)/, { thinks: 'budget', samplesTwice: false, prefills: true }],
];
const NEWEST: MessagesModel = { thinks: 'adaptive', samplesTwice: false, prefills: false };

function anthropic(body: Readonly<Record<string, unknown>>): StrictRefusal | null {
  const [, model] = FAMILIES.find(([ids]) => ids.test(String(body.model))) ?? [null, NEWEST];
  return inMessages(body, model);
}

/** The form of Anthropic, without the rules of single models of Claude. */
function minimax(body: Readonly<Record<string, unknown>>): StrictRefusal | null {
  return inMessages(body, { thinks: 'adaptive', samplesTwice: true, prefills: true });
}

function inMessages(body: Readonly<Record<string, unknown>>, model: MessagesModel): StrictRefusal | null {
  const message = refusalOf(body, model, (text) => text === SIGNATURE);
  return message === null ? null : { status: 400, body: messagesFailure('invalid_request_error', message) };
}

function bedrock(body: Readonly<Record<string, unknown>>): StrictRefusal | null {
  const message = converseRefusalOf(body, NEWEST, (text) => text === SIGNATURE);
  return message === null ? null : { status: 400, body: JSON.stringify({ message }) };
}
