import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { isEmpty } from '../../terms/exact-decimal.ts';
import { JsonText, jsonText, membersText } from '../../terms/json-text.ts';
import type { Tool, Turn } from '../../terms/turn.ts';
import type { TextWriter } from '../adapter.ts';
import { listText } from '../json-text.ts';
import { addLostParts, isExcluded } from '../left-out.ts';
import { addLostThinking, EFFORT_SHARES, switchedBy, thinks } from '../messages/thinking.ts';
import { ownOptions } from '../own-options.ts';
import { shaper } from '../shaper.ts';
import { conversationWriter, formsOf } from './conversation.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set(['model', 'messages', 'stream', 'max_tokens', 'thinking']);

/** Sampling members with another name here. */
const NAMES: Readonly<Record<string, string>> = { top_k: 'k', stop: 'stop_sequences' };

/** The input schema of a tool that declares none. */
const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * A turn as the body of a chat request of Cohere. Throws `ProviderFailure` for content that the wire cannot express.
 * What the `wire` declares is prepared once. (rule I110, rule I113)
 */
export function cohereWriter(endpoint: Endpoint): TextWriter {
  const { wire = {} } = endpoint.target;
  const shape = shaper(wire);
  const conversation = conversationWriter(endpoint);
  const head = `{"model":${JSON.stringify(endpoint.target.upstreamId)},"messages":`;
  return (turn, ceiling) => {
    const { messages, documents } = conversation(turn.messages);
    const body = samplingOf(turn, endpoint);
    if (wire.ceiling !== 'asked' || turn.completionTokensMax !== undefined) body.max_tokens = ceiling;
    const thought = thinking(turn, endpoint, ceiling);
    if (thought !== undefined) body.thinking = thought;
    if (turn.tools) addTools(turn, turn.tools, body);
    if (turn.responseFormat && turn.responseFormat.type !== 'text')
      body.response_format = formatOf(turn.responseFormat);
    shape?.(body);
    if (turn.preferences.options) Object.assign(body, ownOptions(turn.preferences.options, endpoint, OURS));
    if (documents.length > 0) body.documents = withGiven(documents, body.documents);
    const text = `${head}${messages},"stream":${turn.stream}`;
    return isEmpty(body) ? `${text}}` : `${text},${membersText(body).slice(1)}`;
  };
}

function samplingOf(turn: Turn, endpoint: Endpoint): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const name of endpoint.supportedParameters) {
    const value = turn.sampling[name] ?? endpoint.defaultParameters[name];
    if (value === undefined || name === 'enable_thinking' || (name === 'top_k' && value === -1)) continue;
    if (isExcluded(name, turn, endpoint)) continue;
    if (name === 'top_p') body.p = admitted(value as number);
    else body[NAMES[name] ?? name] = name === 'stop' && typeof value === 'string' ? [value] : value;
  }
  return body;
}

/** The provider refuses a `p` beyond these, and clients send 1 for no cut at all. */
function admitted(p: number): number {
  return Math.min(Math.max(p, 0.01), 0.99);
}

interface Thinking {
  readonly type: 'enabled' | 'disabled';
  readonly token_budget?: number;
}

/**
 * How a turn thinks; undefined where nothing is sent. The wire takes a budget: that of `reasoning.max_tokens`, or the
 * share of the ceiling for an effort, within the declared bounds and under the ceiling. (rule I113)
 */
function thinking(turn: Turn, endpoint: Endpoint, ceiling: number): Thinking | undefined {
  const { effort, tokensMax, enabled = switchedBy(turn, endpoint) } = turn.reasoning ?? {};
  if (effort === 'none' || enabled === false) return { type: 'disabled' };
  if (endpoint.reasoning === null) return undefined;
  if (effort === undefined && tokensMax === undefined) return enabled === true ? { type: 'enabled' } : undefined;
  const { min, max } = endpoint.reasoning.budget ?? { min: 1, max: ceiling };
  const wanted = tokensMax ?? Math.floor(ceiling * EFFORT_SHARES[effort ?? 'medium']);
  const tokens = Math.min(Math.max(wanted, min), max, ceiling - 1);
  return tokens < Math.max(min, 1) ? undefined : { type: 'enabled', token_budget: tokens };
}

/**
 * No choice names a tool: that one alone is sent, and one is required. The schemas of all tools are followed, or of
 * none.
 */
function addTools({ toolChoice }: Turn, tools: readonly Tool[], body: Record<string, unknown>): void {
  const sent = typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  body.tools = new JsonText(listText(sent, toolText));
  if (sent.some(({ strict }) => strict === true)) body.strict_tools = true;
  if (toolChoice === 'none') body.tool_choice = 'NONE';
  else if (toolChoice === 'required' || typeof toolChoice === 'object') body.tool_choice = 'REQUIRED';
}

function toolText({ name, description, parameters }: Tool): string {
  return `{"type":"function","function":${membersText({ name, description, parameters: parameters ?? NO_PARAMETERS })}}`;
}

function formatOf(format: Readonly<Record<string, unknown>>): JsonText {
  const { schema } = (format.json_schema ?? {}) as { readonly schema?: unknown };
  const member = schema == null ? undefined : new JsonText(jsonText(schema));
  return new JsonText(membersText({ type: 'json_object', json_schema: member }));
}

/** The documents of the conversation, behind those of the caller's own options. */
function withGiven(documents: readonly string[], given: unknown): JsonText {
  const own = Array.isArray(given) ? given.map((each) => JSON.stringify(each)) : [];
  return new JsonText(listText([...own, ...documents], String));
}

/** What the body of a turn leaves out, for `honoured`. */
export function leftOut(turn: Turn, endpoint: Endpoint, ceiling: number): readonly string[] {
  const names: string[] = [];
  const thought = thinking(turn, endpoint, ceiling);
  const isThinking = thinks(thought === undefined ? {} : { thinking: thought }, endpoint);
  for (const [name, value] of Object.entries(turn.sampling)) {
    const isCut = name === 'top_p' && admitted(value as number) !== value;
    const isUnthought = name === 'enable_thinking' && value === true && !isThinking;
    if (isCut || isUnthought || isExcluded(name, turn, endpoint)) names.push(name);
  }
  addLostThinking(turn, thought === undefined ? {} : { thinking: thought }, isThinking, names);
  if (turn.parallelToolCalls === false && turn.toolChoice !== 'none') names.push('parallel_tool_calls');
  if (turn.user !== undefined) names.push('user');
  addLostParts(turn, formsOf(endpoint), names);
  return names;
}
