import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Tool, Turn } from '../../terms/turn.ts';
import type { BodyWriter } from '../adapter.ts';
import { ownOptions } from '../own-options.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { conversation } from './conversation.ts';
import { thinking } from './thinking.ts';

/** What no passthrough parameter may change: what is sold, what bounds the hold, how the answer is read. */
const OURS: ReadonlySet<string> = new Set(['model', 'messages', 'system', 'stream', 'max_tokens']);

/** Sampling members of a chat request that the dialect has a member for. */
const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

/** What a tool without a schema takes. */
const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * A turn as the JSON body of a messages request. Sampling goes out only where declared; the ceiling always, since the
 * dialect demands one. Throws `ProviderFailure` for what it has no form for.
 */
export function messagesWriter(endpoint: Endpoint): BodyWriter {
  const declared = new Set(endpoint.supportedParameters);
  return (turn, ceiling) => {
    const { system, messages } = conversation(turn.messages);
    const rest: Record<string, unknown> = {
      model: endpoint.target.upstreamId,
      max_tokens: ceiling,
      stream: turn.stream,
    };
    addSampling(turn, endpoint, declared, rest);
    if (turn.tools) addTools(turn, turn.tools, declared, rest);
    const thought = thinking(turn, endpoint, ceiling);
    if (thought) rest.thinking = thought;
    addOutput(turn, rest);
    if (turn.user !== undefined) rest.metadata = { user_id: turn.user };
    if (turn.preferences.options) Object.assign(rest, ownOptions(turn.preferences.options, endpoint, OURS));
    const prompt = system === null ? '' : `"system":${system},`;
    return `{${prompt}"messages":${messages},${JSON.stringify(rest).slice(1)}`;
  };
}

/** What was asked, or the endpoint's recommended value; -1 of `top_k` switches it off, which here is to leave it out. */
function addSampling(
  turn: Turn,
  endpoint: Endpoint,
  declared: ReadonlySet<string>,
  body: Record<string, unknown>,
): void {
  for (const name of SAMPLING) {
    const value = declared.has(name) ? (turn.sampling[name] ?? endpoint.defaultParameters[name]) : undefined;
    if (value !== undefined && !(name === 'top_k' && value === -1)) body[name] = value;
  }
  const { stop } = turn.sampling;
  if (stop !== undefined && declared.has('stop')) body.stop_sequences = typeof stop === 'string' ? [stop] : stop;
}

function addTools(
  turn: Turn,
  tools: readonly Tool[],
  declared: ReadonlySet<string>,
  body: Record<string, unknown>,
): void {
  const strict = declared.has('structured_outputs');
  body.tools = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: tool.parameters ?? NO_PARAMETERS,
    strict: strict ? tool.strict : undefined,
  }));
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

/** The form and the effort of the answer. A schema has a place in the dialect, JSON without a schema has none. */
function addOutput(turn: Turn, body: Record<string, unknown>): void {
  const output: { format?: object; effort?: string } = {};
  const { effort } = turn.reasoning ?? {};
  if (effort !== undefined && effort !== 'none') output.effort = effort;
  if (turn.responseFormat && turn.responseFormat.type !== 'text') output.format = formatOf(turn.responseFormat);
  if (output.effort !== undefined || output.format !== undefined) body.output_config = output;
}

function formatOf(format: Readonly<Record<string, unknown>>): object {
  const asked = format.json_schema as { readonly schema?: unknown } | null | undefined;
  if (format.type !== 'json_schema' || asked?.schema == null) {
    throw new ProviderFailure('rejected', 'the messages dialect has no form for JSON without a schema');
  }
  return { type: 'json_schema', schema: asked.schema };
}
