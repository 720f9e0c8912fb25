import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Wire } from '../../../actors/terms/wire.ts';
import { JsonText, jsonText, membersText } from '../../terms/json-text.ts';
import type { Tool, Turn } from '../../terms/turn.ts';
import type { TextWriter } from '../adapter.ts';
import { listText } from '../json-text.ts';
import { addLostParts, isExcluded } from '../left-out.ts';
import { ownOptions } from '../own-options.ts';
import { shaper } from '../shaper.ts';
import { conversationWriter, formsOf } from './conversation.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'truncate',
  'shift',
  'options',
  'tools',
  'format',
  'think',
  'num_ctx',
  'num_predict',
]);
/** Settings beside `options`; any other one is an option. */
const BESIDE: ReadonlySet<string> = new Set(['enable_thinking', 'logprobs', 'top_logprobs', 'keep_alive']);
/** Options that the server knows by another name. */
const OPTION_NAMES: Readonly<Record<string, string>> = { repetition_penalty: 'repeat_penalty' };
const SWITCH: NonNullable<Wire['thinkingSwitch']> = { path: ['think'], on: true, off: false };

/**
 * A turn as the JSON body of a chat request. The context length is always stated, since the server's own is often
 * 4,096; and a prompt that does not fit it is refused, where the server would cut it in silence and answer. Declared
 * settings are `options`. Throws `ProviderFailure` for content that the wire cannot express.
 */
export function ollamaWriter(endpoint: Endpoint): TextWriter {
  const { wire = {}, upstreamId } = endpoint.target;
  const head = `{"model":${JSON.stringify(upstreamId)},"messages":`;
  const conversationText = conversationWriter(endpoint);
  const alwaysBounded = wire.ceiling !== 'asked';
  const shape = shaper({ thinkingSwitch: SWITCH, ...wire });
  const { rename, omit } = wire;
  const shapeOptions = shaper({ ...(rename && { rename }), ...(omit && { omit }) });
  return (turn, ceiling) => {
    const options: Record<string, unknown> = { num_ctx: endpoint.contextLength };
    const body: Record<string, unknown> = { truncate: false, shift: false, options };
    if (alwaysBounded || turn.completionTokensMax !== undefined) options.num_predict = ceiling;
    addSettings(turn, endpoint, body, options);
    addThinking(turn, body);
    if (turn.tools && turn.toolChoice !== 'none') body.tools = new JsonText(listText(turn.tools, toolText));
    const format = formatOf(turn.responseFormat);
    if (format !== undefined) body.format = format;
    shapeOptions?.(options);
    if (turn.preferences.options) {
      const own = ownOptions(turn.preferences.options, endpoint, OURS);
      for (const [name, value] of Object.entries(own)) (BESIDE.has(name) ? body : options)[name] = value;
    }
    shape?.(body);
    return `${head}${conversationText(turn.messages)},"stream":${turn.stream},${membersText(body).slice(1)}`;
  };
}

function addSettings(
  turn: Turn,
  endpoint: Endpoint,
  body: Record<string, unknown>,
  options: Record<string, unknown>,
): void {
  for (const name of endpoint.supportedParameters) {
    const value = turn.sampling[name] ?? endpoint.defaultParameters[name];
    if (value === undefined || isExcluded(name, turn, endpoint)) continue;
    if (BESIDE.has(name)) body[name] = value;
    else options[OPTION_NAMES[name] ?? name] = name === 'stop' && typeof value === 'string' ? [value] : value;
  }
}

/** A level, or the position of the switch. There is no budget here: a request with one only asks for thinking. */
function addThinking({ reasoning }: Turn, body: Record<string, unknown>): void {
  const { effort, enabled, tokensMax } = reasoning ?? {};
  if (effort !== undefined && effort !== 'none') {
    delete body.enable_thinking;
    body.think = effort;
  } else if (effort === 'none' || enabled === false) body.enable_thinking = false;
  else if (enabled === true || tokensMax !== undefined) body.enable_thinking = true;
}

function toolText({ cacheFor: _, ...tool }: Tool): string {
  return `{"type":"function","function":${membersText(tool)}}`;
}

/** The schema itself, or the word for any JSON. */
function formatOf(format: Turn['responseFormat']): unknown {
  if (format === undefined || format.type === 'text') return undefined;
  const { schema } = (format.json_schema ?? {}) as { readonly schema?: unknown };
  return schema == null ? 'json' : new JsonText(jsonText(schema));
}

/** What the body of a turn leaves out, for `honoured`: among others the server lets no request demand a call. */
export function leftOut(turn: Turn, endpoint: Endpoint): readonly string[] {
  const names: string[] = [];
  if (turn.reasoning?.tokensMax !== undefined) names.push('reasoning.max_tokens');
  for (const name of Object.keys(turn.sampling)) if (isExcluded(name, turn, endpoint)) names.push(name);
  if (turn.parallelToolCalls === false && turn.toolChoice !== 'none') names.push('parallel_tool_calls');
  if (turn.toolChoice === 'required' || typeof turn.toolChoice === 'object') names.push('tool_choice');
  if (turn.user !== undefined) names.push('user');
  addLostParts(turn, formsOf(endpoint), names);
  return names;
}
