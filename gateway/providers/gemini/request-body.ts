import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { isEmpty } from '../../terms/exact-decimal.ts';
import { JsonText, membersText } from '../../terms/json-text.ts';
import type { Tool, Turn } from '../../terms/turn.ts';
import type { TextWriter } from '../adapter.ts';
import { imageConfig } from '../chat/media.ts';
import { listText } from '../json-text.ts';
import { addLostParts, isExcluded } from '../left-out.ts';
import { ownOptions } from '../own-options.ts';
import { shaper } from '../shaper.ts';
import { toolIdMapper } from '../tool-ids.ts';
import { conversationWriter, formsOf } from './conversation.ts';
import { schemaText } from './schema.ts';
import { addLostThinking, switchOf, thinkingConfig } from './thinking.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set(['contents', 'systemInstruction', 'generationConfig', 'tools', 'toolConfig']);

/** Sampling members of a chat request, and their names in `generationConfig`. */
const NAMES: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  seed: 'seed',
  stop: 'stopSequences',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  logprobs: 'responseLogprobs',
  top_logprobs: 'logprobs',
};

/** Settings of pictures, and their names here. */
const PICTURE_NAMES: Readonly<Record<string, string>> = { aspect_ratio: 'aspectRatio', resolution: 'imageSize' };

type Members = Record<string, unknown>;

/**
 * A turn as the JSON body of a `generateContent` request; the model and whether it streams are in the address. What the
 * endpoint's `wire` declares of members applies to those of `generationConfig`. Throws `ProviderFailure` for content that
 * the wire cannot express.
 */
export function geminiWriter(endpoint: Endpoint): TextWriter {
  const { wire = {} } = endpoint.target;
  const shape = shaper(wire);
  const withToolIds = toolIdMapper(wire);
  const conversation = conversationWriter(endpoint.target);
  const alwaysBounded = wire.ceiling !== 'asked';
  return (turn, ceiling) => {
    const { system, contents } = conversation(withToolIds(turn.messages));
    const config: Members = {};
    if (alwaysBounded || turn.completionTokensMax !== undefined) config.maxOutputTokens = ceiling;
    addSampling(turn, endpoint, config);
    addThinking(turn, endpoint, ceiling, config);
    addFormat(turn, config);
    if (turn.modalities || turn.imageConfig) addOutput(turn, endpoint, config);
    shape?.(config);
    const prompt = system === null ? '' : `"systemInstruction":${system},`;
    // The members of every body are written as text: an object for them costs twice as much.
    const settings = turn.responseFormat ? membersText(config) : JSON.stringify(config);
    const text = `{${prompt}"contents":${contents}${isEmpty(config) ? '' : `,"generationConfig":${settings}`}`;
    const rest: Members = {};
    if (turn.tools) addTools(turn, turn.tools, rest);
    if (turn.preferences.options) Object.assign(rest, ownOptions(turn.preferences.options, endpoint, OURS));
    return isEmpty(rest) ? `${text}}` : `${text},${membersText(rest).slice(1)}`;
  };
}

/** Adds the requested or the recommended values. `top_k` -1 means off, which this wire expresses by omission. */
function addSampling(turn: Turn, endpoint: Endpoint, config: Members): void {
  for (const name of endpoint.supportedParameters) {
    const place = Object.hasOwn(NAMES, name) ? (NAMES[name] as string) : undefined;
    const value = turn.sampling[name] ?? endpoint.defaultParameters[name];
    if (place === undefined || value === undefined || (name === 'top_k' && value === -1)) continue;
    if (!isExcluded(name, turn, endpoint)) config[place] = name === 'stop' ? [value].flat() : value;
  }
}

/** A declared position of the switch takes the place of the wire's own. */
function addThinking(turn: Turn, endpoint: Endpoint, ceiling: number, config: Members): void {
  const position = switchOf(turn, endpoint);
  const declared = endpoint.target.wire?.thinkingSwitch?.[position === false ? 'off' : 'on'];
  const thought = thinkingConfig(turn, endpoint, ceiling);
  if (position !== undefined && declared !== undefined) config.enable_thinking = position;
  if (thought !== undefined && !isEmpty(thought) && (position !== false || declared === undefined)) {
    config.thinkingConfig = thought;
  }
}

function addFormat({ responseFormat }: Turn, config: Members): void {
  if (responseFormat === undefined || responseFormat.type === 'text') return;
  const requested = responseFormat.json_schema as { readonly schema?: unknown } | null | undefined;
  config.responseMimeType = 'application/json';
  if (requested?.schema != null) config.responseJsonSchema = schemaText(requested.schema);
}

/** The requested output other than text. */
function addOutput(turn: Turn, { outputModalities, envelopes }: Endpoint, config: Members): void {
  if (!outputModalities.includes('image')) return;
  const wanted = turn.modalities?.output ?? [];
  if (wanted.includes('image')) {
    config.responseModalities = outputModalities.includes('text') ? ['TEXT', 'IMAGE'] : ['IMAGE'];
  }
  const entries = Object.entries(turn.imageConfig ? imageConfig(turn.imageConfig, envelopes.image) : {});
  const known = entries.filter(([name]) => Object.hasOwn(PICTURE_NAMES, name));
  if (known.length > 0) {
    config.imageConfig = Object.fromEntries(known.map(([name, value]) => [PICTURE_NAMES[name] as string, value]));
  }
}

function addTools(turn: Turn, tools: readonly Tool[], body: Members): void {
  const declarations = listText(tools, ({ name, description, parameters }) =>
    membersText({
      name,
      description,
      parametersJsonSchema: parameters === undefined ? undefined : schemaText(parameters),
    }),
  );
  body.tools = new JsonText(`[{"functionDeclarations":${declarations}}]`);
  const functionCallingConfig = choiceOf(turn, tools);
  if (functionCallingConfig !== undefined) body.toolConfig = { functionCallingConfig };
}

/** Of the modes, `VALIDATED` leaves the choice to the model and holds a call to its schema, which is what `strict` asks. */
function choiceOf({ toolChoice }: Turn, tools: readonly Tool[]): object | undefined {
  if (typeof toolChoice === 'object') return { mode: 'ANY', allowedFunctionNames: [toolChoice.name] };
  if (toolChoice === 'required') return { mode: 'ANY' };
  if (toolChoice === 'none') return { mode: 'NONE' };
  if (tools.some(({ strict }) => strict)) return { mode: 'VALIDATED' };
  return toolChoice === undefined ? undefined : { mode: 'AUTO' };
}

/** What the body of a turn leaves out, for `honoured`. */
export function leftOut(turn: Turn, endpoint: Endpoint): readonly string[] {
  const names: string[] = [];
  for (const [name, value] of Object.entries(turn.sampling)) {
    if (name === 'enable_thinking' || (name === 'top_k' && value === -1)) continue;
    if (!Object.hasOwn(NAMES, name) || isExcluded(name, turn, endpoint)) names.push(name);
  }
  addLostThinking(turn, endpoint, names);
  if (turn.parallelToolCalls === false && turn.toolChoice !== 'none') names.push('parallel_tool_calls');
  if (turn.user !== undefined) names.push('user');
  if (turn.speech !== undefined) names.push('audio');
  const pictured = turn.imageConfig ? imageConfig(turn.imageConfig, endpoint.envelopes.image) : {};
  if (!Object.keys(pictured).every((name) => Object.hasOwn(PICTURE_NAMES, name))) names.push('image_config');
  addLostParts(turn, formsOf(endpoint.target), names);
  return names;
}
