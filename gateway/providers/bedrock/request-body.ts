import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { isEmpty } from '../../terms/exact-decimal.ts';
import { JsonText, jsonText, membersText } from '../../terms/json-text.ts';
import type { Tool, Turn } from '../../terms/turn.ts';
import type { TextWriter } from '../adapter.ts';
import { withLastMarks } from '../cache-marks.ts';
import { addLostParts, isExcluded } from '../left-out.ts';
import { addLostThinking, refusedWhileThinking, thinking, thinks } from '../messages/thinking.ts';
import { ownOptions } from '../own-options.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { shaper } from '../shaper.ts';
import { COMMON_TOOL_ID, toolIdMapper } from '../tool-ids.ts';
import { cachePoint, conversation, formsOf } from './conversation.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set([
  'modelId',
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'outputConfig',
  'additionalModelRequestFields',
]);

/** Sampling members with a place of their own in the service's request. */
const PLACES: Readonly<Record<string, string>> = { temperature: 'temperature', top_p: 'topP', stop: 'stopSequences' };

/** The input schema of a tool that declares none. */
const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * A turn as the body of a Converse request; the model and whether it streams are in the address. Declared sampling
 * without a place of its own, and thinking in the form of Claude, are fields of the model. Throws `ProviderFailure` for
 * content that the service cannot express.
 */
export function bedrockWriter(endpoint: Endpoint): TextWriter {
  const marks = marksOf(endpoint);
  const { wire = {} } = endpoint.target;
  const shape = shaper(wire);
  const withToolIds = toolIdMapper({ toolId: wire.toolId ?? COMMON_TOOL_ID });
  return (asked, ceiling) => {
    const turn = marks ? withLastMarks(asked) : asked;
    const { system, messages } = conversation(withToolIds(turn.messages), marks);
    const body: Record<string, unknown> = { ...samplingOf(turn, endpoint, ceiling) };
    const tools = toolsOf(turn, marks);
    if (tools !== null) body.toolConfig = new JsonText(tools);
    if (turn.responseFormat && turn.responseFormat.type !== 'text') body.outputConfig = formatOf(turn.responseFormat);
    shape?.(body);
    if (turn.preferences.options) Object.assign(body, ownOptions(turn.preferences.options, endpoint, OURS));
    const prompt = system === null ? '' : `"system":${system},`;
    return `{${prompt}"messages":${messages},${(tools === null ? JSON.stringify(body) : membersText(body)).slice(1)}`;
  };
}

/** Cache points go to models that take them: others refuse the request. */
function marksOf(endpoint: Endpoint): boolean {
  return endpoint.target.wire?.cacheControl === true;
}

/** `inferenceConfig`, and the fields of the model where there are any. */
function samplingOf(turn: Turn, endpoint: Endpoint, ceiling: number): Readonly<Record<string, unknown>> {
  const thought = thinking(turn, endpoint, ceiling);
  const isThinking = thinks(thought, endpoint);
  const common: Record<string, unknown> = { maxTokens: ceiling };
  const fields: Record<string, unknown> = {};
  for (const name of endpoint.supportedParameters) {
    const value = turn.sampling[name] ?? endpoint.defaultParameters[name];
    if (value === undefined || name === 'enable_thinking' || (name === 'top_k' && value === -1)) continue;
    if (isExcluded(name, turn, endpoint)) continue;
    if (isThinking && refusedWhileThinking(name, value)) continue;
    const place = PLACES[name];
    if (place === undefined) fields[name] = value;
    else common[place] = name === 'stop' && typeof value === 'string' ? [value] : value;
  }
  if (thought.thinking) fields.thinking = thought.thinking;
  if (thought.effort !== undefined) fields.output_config = { effort: thought.effort };
  return { inferenceConfig: common, ...(isEmpty(fields) ? {} : { additionalModelRequestFields: fields }) };
}

/**
 * The tools, in JSON; null without any. The service has no choice `none`: the tools are left out, unless the
 * conversation has calls, for which it demands them.
 */
function toolsOf(turn: Turn, marks: boolean): string | null {
  const { tools = [], toolChoice, cacheFor } = turn;
  if (!sendsTools(turn)) return null;
  const specs = tools.flatMap((tool) => [
    specText(tool),
    ...(marks && tool.cacheFor ? [cachePoint(tool.cacheFor)] : []),
  ]);
  if (marks && cacheFor !== undefined) specs.push(cachePoint(cacheFor));
  const choice = choiceOf(toolChoice);
  return membersText({ tools: new JsonText(`[${specs.join(',')}]`), toolChoice: choice });
}

function sendsTools({ tools, toolChoice, messages }: Turn): boolean {
  return tools !== undefined && (toolChoice !== 'none' || messages.some(({ role }) => role === 'tool'));
}

function specText({ name, description, parameters, strict }: Tool): string {
  const inputSchema = new JsonText(`{"json":${jsonText(parameters ?? NO_PARAMETERS)}}`);
  return `{"toolSpec":${membersText({ name, description, inputSchema, strict })}}`;
}

function choiceOf(choice: Turn['toolChoice']): object | undefined {
  if (typeof choice === 'object') return { tool: { name: choice.name } };
  if (choice === 'required') return { any: {} };
  return choice === 'auto' ? { auto: {} } : undefined;
}

/** The service takes a schema as a text. */
function formatOf(format: Readonly<Record<string, unknown>>): object {
  const requested = format.json_schema as
    | { readonly schema?: unknown; readonly name?: string; readonly description?: string }
    | null
    | undefined;
  if (format.type !== 'json_schema' || requested?.schema == null) {
    throw new ProviderFailure('rejected', 'Converse has no form for JSON without a schema', null, {
      code: 'unsupported_parameter',
      param: 'response_format.type',
    });
  }
  const { schema, name, description } = requested;
  return {
    textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: jsonText(schema), name, description } } },
  };
}

/** What the body of a turn leaves out, for `honoured`. */
export function leftOut(turn: Turn, endpoint: Endpoint, ceiling: number): readonly string[] {
  const names: string[] = [];
  const thought = thinking(turn, endpoint, ceiling);
  const isThinking = thinks(thought, endpoint);
  for (const [name, value] of Object.entries(turn.sampling)) {
    if (name === 'enable_thinking' ? value === true && !isThinking : isThinking && refusedWhileThinking(name, value)) {
      names.push(name);
    }
  }
  addLostThinking(turn, thought, isThinking, names);
  if (turn.parallelToolCalls === false && turn.toolChoice !== 'none') names.push('parallel_tool_calls');
  if (turn.toolChoice === 'none' && sendsTools(turn)) names.push('tool_choice');
  if (turn.user !== undefined) names.push('user');
  addLostParts(turn, formsOf(marksOf(endpoint)), names);
  return names;
}
