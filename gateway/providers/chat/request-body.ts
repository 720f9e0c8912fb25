import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { isEmpty } from '../../terms/exact-decimal.ts';
import { formatText, JsonText, membersText } from '../../terms/json-text.ts';
import type { Reasoning, Tool, Turn } from '../../terms/turn.ts';
import type { Learnt, TextWriter } from '../adapter.ts';
import { withLastMarks } from '../cache-marks.ts';
import { listText } from '../json-text.ts';
import { addLostParts, isExcluded } from '../left-out.ts';
import { ownOptions } from '../own-options.ts';
import { shaper } from '../shaper.ts';
import { cacheMember, conversationWriter, formsOf } from './conversation.ts';
import { imageConfig } from './media.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'n',
]);

/**
 * A turn as the JSON body of a chat completion request: standard members, and beyond them only what the endpoint
 * declares. The ceiling is sent under the name that the endpoint declares; a stream always requests its usage, unless
 * the endpoint's `wire` leaves that out. Of the reasoning settings only the effort and the switch have a member here.
 * What the `wire` declares is prepared once. (rule I110, rule I113)
 */
export function chatWriter(endpoint: Endpoint, learnt: Learnt = {}): TextWriter {
  const { wire = {} } = endpoint.target;
  const declared = new Set(endpoint.supportedParameters);
  const defaults = Object.entries(endpoint.defaultParameters).filter(([name]) => declared.has(name));
  const head = `{"model":${JSON.stringify(endpoint.target.upstreamId)},"messages":`;
  const conversationText = conversationWriter(endpoint, learnt);
  const ceilingName = JSON.stringify(endpoint.ceilingName);
  const alwaysBounded = wire.ceiling !== 'asked';
  const asksUsage = !wire.omit?.includes('stream_options');
  const shape = shaper(wire);
  const marks = wire.cacheControl === true;
  return (asked, ceiling) => {
    const turn = marks ? withLastMarks(asked) : asked;
    const body: Record<string, unknown> = {};
    if (turn.stream && asksUsage) body.stream_options = { include_usage: true };
    addSampling(turn, endpoint, declared, defaults, body);
    if (turn.reasoning) addReasoning(turn.reasoning, endpoint, declared, body);
    if (turn.tools) addTools(turn, turn.tools, endpoint, body);
    if (turn.responseFormat) body.response_format = new JsonText(formatText(turn.responseFormat));
    if (turn.user !== undefined) body.user = turn.user;
    if (turn.modalities || turn.imageConfig || turn.speech) addOutput(turn, endpoint, body);
    shape?.(body);
    if (turn.preferences.options) Object.assign(body, ownOptions(turn.preferences.options, endpoint, OURS));
    // The members of every body are written as text: an object for them costs twice as much.
    const bound = alwaysBounded || turn.completionTokensMax !== undefined ? `,${ceilingName}:${ceiling}` : '';
    const text = `${head}${conversationText(turn)},"stream":${turn.stream}${bound}`;
    if (isEmpty(body)) return `${text}}`;
    return `${text},${(turn.tools || turn.responseFormat ? membersText(body) : JSON.stringify(body)).slice(1)}`;
  };
}

/**
 * Adds the requested values, and the endpoint's recommended values for the rest. The catalogue promises that these
 * apply to a member the request omits; sending them makes that hold independently of the server's own defaults.
 * (rule I25)
 */
function addSampling(
  turn: Turn,
  endpoint: Endpoint,
  declared: ReadonlySet<string>,
  defaults: readonly (readonly [string, number])[],
  body: Record<string, unknown>,
): void {
  for (const [name, value] of defaults) if (!isExcluded(name, turn, endpoint)) body[name] = value;
  for (const name of Object.keys(turn.sampling)) {
    if (declared.has(name) && !isExcluded(name, turn, endpoint)) body[name] = turn.sampling[name];
  }
}

/**
 * Adds the effort, and the switch where the endpoint declares one and has no level that says the same. Switching
 * reasoning off without naming an effort is sent like effort `none`. A declared position of the switch is sent even
 * beside an effort: some providers think only where it says so.
 */
function addReasoning(
  { effort, enabled }: Reasoning,
  endpoint: Endpoint,
  declared: ReadonlySet<string>,
  body: Record<string, unknown>,
): void {
  const { reasoning, target } = endpoint;
  const { on, off } = target.wire?.thinkingSwitch ?? {};
  const requested = effort ?? (enabled === false ? 'none' : undefined);
  const hasSwitch = declared.has('enable_thinking');
  if (requested === 'none' && (off !== undefined || (hasSwitch && !reasoning?.efforts?.includes('none')))) {
    body.enable_thinking = false;
  } else if (effort !== undefined) {
    body.reasoning_effort = effort;
    if (on !== undefined) body.enable_thinking ??= true;
  } else if (requested === 'none' && (declared.has('reasoning') || declared.has('reasoning_effort'))) {
    body.reasoning_effort = 'none';
  } else if (enabled === true && (hasSwitch || on !== undefined)) body.enable_thinking ??= true;
}

function addTools(
  turn: Turn,
  tools: readonly Tool[],
  { supportedParameters, target }: Endpoint,
  body: Record<string, unknown>,
): void {
  const marked = target.wire?.cacheControl === true;
  const toolText = ({ cacheFor, ...tool }: Tool): string =>
    `{"type":"function","function":${membersText(tool)}${marked ? cacheMember(cacheFor) : ''}}`;
  body.tools = new JsonText(listText(tools, toolText));
  const choice = turn.toolChoice;
  if (choice !== undefined)
    body.tool_choice = typeof choice === 'string' ? choice : { type: 'function', function: choice };
  if (turn.parallelToolCalls !== undefined && supportedParameters.includes('parallel_tool_calls')) {
    body.parallel_tool_calls = turn.parallelToolCalls;
  }
}

/** Adds the requested output other than text. A model without text output gets no `text` modality. */
function addOutput(turn: Turn, endpoint: Endpoint, body: Record<string, unknown>): void {
  const makes = new Set(endpoint.outputModalities);
  const wanted = (turn.modalities?.output ?? []).filter((modality) => modality !== 'text');
  if (wanted.length > 0) body.modalities = makes.has('text') ? ['text', ...wanted] : wanted;
  if (turn.speech && makes.has('audio')) body.audio = turn.speech;
  if (turn.imageConfig && makes.has('image')) {
    const config = imageConfig(turn.imageConfig, endpoint.envelopes.image);
    if (Object.keys(config).length > 0) body.image_config = config;
  }
}

/**
 * What the body of a turn leaves out, for `honoured`: this dialect has no budget, a switch only where declared, and no
 * member that the endpoint's `wire` omits.
 */
export function leftOut(turn: Turn, endpoint: Endpoint): readonly string[] {
  const names: string[] = [];
  const { effort, enabled, tokensMax } = turn.reasoning ?? {};
  if (tokensMax !== undefined) names.push('reasoning.max_tokens');
  if (effort === undefined && (enabled === true || tokensMax !== undefined) && !isSwitchedOn(endpoint)) {
    names.push('reasoning');
  }
  if (turn.user !== undefined && endpoint.target.wire?.omit?.includes('user')) names.push('user');
  for (const name of Object.keys(turn.sampling)) if (isExcluded(name, turn, endpoint)) names.push(name);
  addLostParts(turn, formsOf(endpoint), names);
  return names;
}

/** The endpoint has a switch, or reasons by default. */
function isSwitchedOn({ supportedParameters, reasoning, target }: Endpoint): boolean {
  if (supportedParameters.includes('enable_thinking') || target.wire?.thinkingSwitch?.on !== undefined) return true;
  return reasoning?.mandatory === true || reasoning?.defaultEnabled === true;
}
