import { createHash } from 'node:crypto';
import type { Effort, Endpoint } from '../../../actors/terms/endpoint.ts';
import { isEmpty } from '../../terms/exact-decimal.ts';
import { JsonText, membersText } from '../../terms/json-text.ts';
import type { Reasoning, Tool, Turn } from '../../terms/turn.ts';
import type { TextWriter } from '../adapter.ts';
import { listText } from '../json-text.ts';
import { addLostParts, isExcluded } from '../left-out.ts';
import { ownOptions } from '../own-options.ts';
import { shaper } from '../shaper.ts';
import { COMMON_TOOL_ID, toolIdMapper } from '../tool-ids.ts';
import { conversationWriter, formsOf } from './conversation.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'store',
  'include',
  'max_output_tokens',
  'background',
  'conversation',
  'previous_response_id',
  'prompt',
]);

/** Sampling members that also exist in this dialect. */
const SAMPLING: ReadonlySet<string> = new Set(['temperature', 'top_p', 'logprobs', 'top_logprobs']);

const SENT_ALONE = ['temperature', 'top_p'] as const;

/** The longest texts that OpenAI accepts. */
const CACHE_KEY_CHARACTERS_MAX = 64;
const USER_CHARACTERS_MAX = 128;

/** The parameters of a tool that declares none. */
const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * A turn as the JSON body of a responses request, of which the provider stores nothing: an endpoint that reasons is asked
 * for its reasoning in encrypted form, which goes back with the next turn. Throws `ProviderFailure` for content that the
 * dialect cannot express.
 */
export function responsesWriter(endpoint: Endpoint): TextWriter {
  const declared = new Set(endpoint.supportedParameters);
  const { wire = {}, upstreamId } = endpoint.target;
  const shape = shaper(wire);
  const withToolIds = toolIdMapper({ toolId: wire.toolId ?? COMMON_TOOL_ID });
  const conversation = conversationWriter(endpoint);
  const head = `{"model":${JSON.stringify(upstreamId)},"store":false`;
  const alwaysBounded = wire.ceiling !== 'asked';
  return (turn, ceiling) => {
    const { instructions, input } = conversation(withToolIds(turn.messages));
    const body: Record<string, unknown> = {};
    const include = addSampling(turn, endpoint, declared, body);
    if (endpoint.reasoning !== null) {
      include.push('reasoning.encrypted_content');
      addReasoning(turn, endpoint, body);
    }
    if (include.length > 0) body.include = include;
    if (turn.tools) addTools(turn, turn.tools, declared, body);
    if (turn.responseFormat && turn.responseFormat.type !== 'text') body.text = formatOf(turn.responseFormat);
    if (turn.user !== undefined) body.safety_identifier = shortened(turn.user, USER_CHARACTERS_MAX);
    if (turn.conversation !== undefined) body.prompt_cache_key = shortened(turn.conversation, CACHE_KEY_CHARACTERS_MAX);
    shape?.(body);
    if (turn.preferences.options) Object.assign(body, ownOptions(turn.preferences.options, endpoint, OURS));
    const prompt = instructions === null ? '' : `,"instructions":${instructions}`;
    const bound = alwaysBounded || turn.completionTokensMax !== undefined ? `,"max_output_tokens":${ceiling}` : '';
    const text = `${head}${prompt},"input":${input},"stream":${turn.stream}${bound}`;
    return isEmpty(body) ? `${text}}` : `${text},${membersText(body).slice(1)}`;
  };
}

/** Adds the requested or the recommended values. Returns what the answer includes for them. */
function addSampling(
  turn: Turn,
  endpoint: Endpoint,
  declared: ReadonlySet<string>,
  body: Record<string, unknown>,
): string[] {
  for (const name of SENT_ALONE) {
    const value = declared.has(name) ? (turn.sampling[name] ?? endpoint.defaultParameters[name]) : undefined;
    if (value !== undefined && !isExcluded(name, turn, endpoint)) body[name] = value;
  }
  const { logprobs, top_logprobs } = turn.sampling;
  if (logprobs !== true || !declared.has('logprobs') || isExcluded('logprobs', turn, endpoint)) return [];
  if (top_logprobs !== undefined && declared.has('top_logprobs')) body.top_logprobs = top_logprobs;
  return ['message.output_text.logprobs'];
}

/** Adds the effort and the summary; the thinking switch only where it is declared. */
function addReasoning(turn: Turn, endpoint: Endpoint, body: Record<string, unknown>): void {
  const { wire: { omit, thinkingSwitch } = {} } = endpoint.target;
  const requested = requestedOf(turn, endpoint);
  const effort = effortOf(requested, endpoint);
  const summarises = effort !== 'none' && requested.excluded !== true && !omit?.includes('reasoning.summary');
  if (effort !== undefined || summarises) {
    body.reasoning = { ...(effort === undefined ? {} : { effort }), ...(summarises ? { summary: 'auto' } : {}) };
  }
  if (thinkingSwitch === undefined || turn.reasoning === undefined) return;
  body.enable_thinking = effort !== 'none' && requested.enabled !== false;
}

/** With `enable_thinking`, where the endpoint declares this parameter. */
function requestedOf({ reasoning = {}, sampling }: Turn, { supportedParameters }: Endpoint): Reasoning {
  const switched = sampling.enable_thinking;
  if (reasoning.enabled !== undefined || typeof switched !== 'boolean') return reasoning;
  return supportedParameters.includes('enable_thinking') ? { ...reasoning, enabled: switched } : reasoning;
}

/**
 * The effort that a turn asks for. Where the model does not reason by itself, to switch it on is a medium effort, or the
 * first that is declared; to switch it off is `none`. Undefined: the model decides, or has no such effort.
 */
function effortOf({ effort, enabled, tokensMax }: Reasoning, endpoint: Endpoint): Effort | undefined {
  if (effort !== undefined) return effort;
  if (enabled === false) return 'none';
  if ((enabled !== true && tokensMax === undefined) || reasonsByItself(endpoint)) return undefined;
  const efforts = endpoint.reasoning?.efforts ?? [];
  return efforts.includes('medium') ? 'medium' : efforts.find((each) => each !== 'none');
}

function reasonsByItself({ reasoning, target }: Endpoint): boolean {
  if (target.wire?.thinkingSwitch?.on !== undefined) return true;
  return reasoning?.mandatory === true || reasoning?.defaultEnabled === true;
}

/** A tool of this dialect is strict unless it says otherwise. */
function addTools(
  turn: Turn,
  tools: readonly Tool[],
  declared: ReadonlySet<string>,
  body: Record<string, unknown>,
): void {
  const toolText = ({ name, description, parameters = NO_PARAMETERS, strict = false }: Tool): string =>
    membersText({ type: 'function', name, description, parameters, strict });
  body.tools = new JsonText(listText(tools, toolText));
  const { toolChoice: choice, parallelToolCalls } = turn;
  if (choice !== undefined) body.tool_choice = typeof choice === 'string' ? choice : { type: 'function', ...choice };
  if (parallelToolCalls !== undefined && declared.has('parallel_tool_calls')) {
    body.parallel_tool_calls = parallelToolCalls;
  }
}

/** The members of a schema stand beside its type here. */
function formatOf({ type, json_schema: schema }: Readonly<Record<string, unknown>>): JsonText {
  const members = typeof schema === 'object' && schema !== null ? schema : {};
  return new JsonText(`{"format":${membersText({ type, ...members })}}`);
}

/** The text, or a digest of one that is too long. */
function shortened(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : createHash('sha256').update(text).digest('hex');
}

/**
 * What the body of a turn leaves out, for `honoured`: sampling that the dialect lacks or that the endpoint takes only
 * alone, reasoning without an effort for it, and parts of the conversation without a form here.
 */
export function leftOut(turn: Turn, endpoint: Endpoint): readonly string[] {
  const names: string[] = [];
  const requested = requestedOf(turn, endpoint);
  const isLost = isOn(requested) && effortOf(requested, endpoint) === undefined && !reasonsByItself(endpoint);
  for (const [name, value] of Object.entries(turn.sampling)) {
    if (name === 'enable_thinking') {
      if (value === true && isLost) names.push(name);
    } else if (!isSent(name, turn) || isExcluded(name, turn, endpoint)) {
      if (name !== 'top_k' || value !== -1) names.push(name);
    }
  }
  if (requested.tokensMax !== undefined) names.push('reasoning.max_tokens');
  if (isLost && turn.reasoning !== undefined) names.push('reasoning');
  if (turn.user !== undefined && endpoint.target.wire?.omit?.includes('safety_identifier')) names.push('user');
  addLostParts(turn, formsOf(endpoint), names);
  return names;
}

/** Alternatives are counted beside the log probabilities alone. */
function isSent(name: string, { sampling }: Turn): boolean {
  return name === 'top_logprobs' ? sampling.logprobs === true : SAMPLING.has(name);
}

function isOn({ effort, enabled, tokensMax }: Reasoning): boolean {
  return effort === undefined && (enabled === true || tokensMax !== undefined);
}
