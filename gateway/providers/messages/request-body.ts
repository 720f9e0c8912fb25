import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { isEmpty } from '../../terms/exact-decimal.ts';
import { JsonText, membersText } from '../../terms/json-text.ts';
import type { Tool, Turn } from '../../terms/turn.ts';
import type { TextWriter } from '../adapter.ts';
import { withLastMarks } from '../cache-marks.ts';
import { listText } from '../json-text.ts';
import { addLostParts, isExcluded } from '../left-out.ts';
import { ownOptions } from '../own-options.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { shaper } from '../shaper.ts';
import { COMMON_TOOL_ID, toolIdMapper } from '../tool-ids.ts';
import { cacheControl, conversation, FORMS } from './conversation.ts';
import { addLostThinking, refusedWhileThinking, thinking, thinks } from './thinking.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set(['model', 'messages', 'system', 'stream', 'max_tokens']);

/** Sampling members of a chat request that also exist in this dialect. */
const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

/** The input schema of a tool that declares none. */
const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * A turn as the JSON body of a messages request. Sends sampling members only where declared, and always the ceiling,
 * which the dialect requires. Throws `ProviderFailure` for content that the dialect cannot express.
 */
export function messagesWriter(endpoint: Endpoint): TextWriter {
  const declared = new Set(endpoint.supportedParameters);
  const { wire = {} } = endpoint.target;
  const shape = shaper(wire);
  const withToolIds = toolIdMapper({ toolId: wire.toolId ?? COMMON_TOOL_ID });
  const model = JSON.stringify(endpoint.target.upstreamId);
  return (asked, ceiling) => {
    const turn = withLastMarks(asked);
    const { system, messages } = conversation(withToolIds(turn.messages));
    const rest: Record<string, unknown> = {};
    const thought = thinking(turn, endpoint, ceiling);
    addSampling(turn, endpoint, thinks(thought, endpoint), rest);
    if (turn.tools) addTools(turn, turn.tools, declared, rest);
    if (thought.thinking) rest.thinking = thought.thinking;
    addOutput(turn, thought.effort, rest);
    if (turn.cacheFor !== undefined) rest.cache_control = cacheControl(turn.cacheFor);
    if (turn.user !== undefined) rest.metadata = { user_id: turn.user };
    shape?.(rest);
    if (turn.preferences.options) Object.assign(rest, ownOptions(turn.preferences.options, endpoint, OURS));
    const prompt = system === null ? '' : `"system":${system},`;
    // The members of every body are written as text: an object for them costs twice as much.
    const text = `{${prompt}"messages":${messages},"model":${model},"max_tokens":${ceiling},"stream":${turn.stream}`;
    if (isEmpty(rest)) return `${text}}`;
    return `${text},${(turn.tools || rest.output_config ? membersText(rest) : JSON.stringify(rest)).slice(1)}`;
  };
}

/** Adds the requested or the recommended values. `top_k` -1 means off, which this dialect expresses by omission. */
function addSampling(turn: Turn, endpoint: Endpoint, thinking: boolean, body: Record<string, unknown>): void {
  const { supportedParameters: declared, defaultParameters } = endpoint;
  for (const name of SAMPLING) {
    const value = declared.includes(name) ? (turn.sampling[name] ?? defaultParameters[name]) : undefined;
    if (value === undefined || (name === 'top_k' && value === -1) || isExcluded(name, turn, endpoint)) continue;
    if (!thinking || !refusedWhileThinking(name, value)) body[name] = value;
  }
  const stops = declared.includes('stop') ? stopsOf(turn).filter(isStop) : [];
  if (stops.length > 0) body.stop_sequences = stops;
}

function stopsOf({ sampling: { stop } }: Turn): readonly string[] {
  if (stop === undefined) return [];
  return typeof stop === 'string' ? [stop] : (stop as readonly string[]);
}

/** The dialect refuses a sequence of white space alone. */
function isStop(stop: string): boolean {
  return /\S/.test(stop);
}

/**
 * What the body of a turn leaves out, for `honoured`: sampling that a model refuses while it thinks or that the dialect
 * lacks, reasoning that the turn or the ceiling does not allow, and parts of the conversation without a form here.
 */
export function leftOut(turn: Turn, endpoint: Endpoint, ceiling: number): readonly string[] {
  const names: string[] = [];
  const thought = thinking(turn, endpoint, ceiling);
  const isThinking = thinks(thought, endpoint);
  for (const [name, value] of Object.entries(turn.sampling)) {
    if (name === 'top_k' && value === -1) continue;
    if (name === 'stop') {
      if (!stopsOf(turn).every(isStop)) names.push(name);
    } else if (name === 'enable_thinking') {
      if (value === true && !isThinking) names.push(name);
    } else if (!isSampling(name) || isExcluded(name, turn, endpoint)) names.push(name);
    else if (isThinking && refusedWhileThinking(name, value)) names.push(name);
  }
  addLostThinking(turn, thought, isThinking, names);
  if (turn.user !== undefined && endpoint.target.wire?.omit?.includes('metadata')) names.push('user');
  addLostParts(turn, FORMS, names);
  return names;
}

function isSampling(name: string): boolean {
  return (SAMPLING as readonly string[]).includes(name);
}

function addTools(
  turn: Turn,
  tools: readonly Tool[],
  declared: ReadonlySet<string>,
  body: Record<string, unknown>,
): void {
  const strict = declared.has('structured_outputs');
  const toolText = ({ name, description, parameters, strict: isStrict, cacheFor }: Tool): string =>
    membersText({
      name,
      description,
      input_schema: parameters ?? NO_PARAMETERS,
      strict: strict ? isStrict : undefined,
      cache_control: cacheFor === undefined ? undefined : cacheControl(cacheFor),
    });
  body.tools = new JsonText(listText(tools, toolText));
  const serial = turn.parallelToolCalls === false && declared.has('parallel_tool_calls');
  const choice = choiceOf(turn.toolChoice ?? (serial ? 'auto' : undefined));
  if (choice === undefined) return;
  body.tool_choice = serial && choice.type !== 'none' ? { ...choice, disable_parallel_tool_use: true } : choice;
}

function choiceOf(choice: Turn['toolChoice']): { readonly type: string; readonly name?: string } | undefined {
  if (choice === undefined) return undefined;
  if (typeof choice === 'object') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : choice };
}

/** The form and the effort of the answer. The dialect accepts a JSON schema but no JSON mode without one. */
function addOutput(turn: Turn, effort: string | undefined, body: Record<string, unknown>): void {
  const output: { format?: JsonText; effort?: string } = {};
  if (effort !== undefined) output.effort = effort;
  if (turn.responseFormat && turn.responseFormat.type !== 'text') output.format = formatOf(turn.responseFormat);
  if (output.effort !== undefined || output.format !== undefined)
    body.output_config = new JsonText(membersText(output));
}

function formatOf(format: Readonly<Record<string, unknown>>): JsonText {
  const requested = format.json_schema as { readonly schema?: unknown } | null | undefined;
  if (format.type !== 'json_schema' || requested?.schema == null) {
    throw new ProviderFailure('rejected', 'the messages dialect has no form for JSON without a schema', null, {
      code: 'unsupported_parameter',
      param: 'response_format.type',
    });
  }
  return new JsonText(membersText({ type: 'json_schema', schema: requested.schema }));
}
