import type { Effort, Endpoint } from '../../../actors/terms/endpoint.ts';
import type { ReasoningDetail, Turn, TurnMessage } from '../../terms/turn.ts';
import { SIGNED_THINKING } from '../../terms/turn.ts';

/** A detail that a provider of this dialect signed or encrypted: the only thinking that it accepts back. */
export function isOwnThinking({ type, format, signature, data }: ReasoningDetail): boolean {
  if (format !== SIGNED_THINKING) return false;
  return type === 'reasoning.text' ? Boolean(signature) : type === 'reasoning.encrypted' && Boolean(data);
}

/** A piece of earlier thinking as a block, unchanged; none for an entry that is not of this dialect. */
export function thinkingBlocks(detail: ReasoningDetail): string[] {
  if (!isOwnThinking(detail)) return [];
  if (detail.type === 'reasoning.encrypted') return [JSON.stringify({ type: 'redacted_thinking', data: detail.data })];
  return [JSON.stringify({ type: 'thinking', thinking: detail.text ?? '', signature: detail.signature })];
}

/**
 * The share of the ceiling that an effort lets a model think that takes a budget instead of an effort. The shares are
 * those that OpenRouter publishes; it names none for `max`.
 */
export const EFFORT_SHARES: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  max: 0.95,
  xhigh: 0.95,
  high: 0.8,
  medium: 0.5,
  low: 0.2,
  minimal: 0.1,
};

/** The smallest budget of the dialect. */
const BUDGET_TOKENS_MIN = 1_024;

/** The members that make a model think. Absent: nothing is sent. */
interface Thinking {
  readonly thinking?: { readonly type: 'disabled' | 'adaptive' | 'enabled'; readonly budget_tokens?: number };
  /** `output_config.effort`. */
  readonly effort?: string;
}

const NOTHING: Thinking = {};

/**
 * How a turn thinks at an endpoint. Effort `none` and `enabled: false` disable it. Where the endpoint declares a budget,
 * the model takes one: that of `reasoning.max_tokens`, or the share of the ceiling for an effort, under the ceiling.
 * Anywhere else it thinks as much as it finds useful, at the effort. The dialect allows no thinking with a forced tool
 * call, and no budget in the middle of a tool loop that began without thinking. (rule I113)
 */
export function thinking(turn: Turn, endpoint: Endpoint, ceiling: number): Thinking {
  const { effort, tokensMax, enabled = switchedBy(turn, endpoint) } = turn.reasoning ?? {};
  if (effort === 'none' || enabled === false) return { thinking: { type: 'disabled' } };
  if (effort === undefined && tokensMax === undefined && enabled !== true) return NOTHING;
  const isForced = turn.toolChoice === 'required' || typeof turn.toolChoice === 'object';
  const budget = endpoint.reasoning?.budget;
  if (budget === undefined) {
    const adaptive = isForced ? NOTHING : ADAPTIVE;
    return effort === undefined ? adaptive : { ...adaptive, effort };
  }
  if (isForced || isUnthoughtLoop(turn.messages)) return NOTHING;
  const least = Math.max(budget.min, BUDGET_TOKENS_MIN);
  const wanted = tokensMax ?? Math.floor(ceiling * EFFORT_SHARES[effort ?? 'medium']);
  const tokens = Math.min(Math.max(wanted, least), budget.max, ceiling - 1);
  return tokens < least ? NOTHING : { thinking: { type: 'enabled', budget_tokens: tokens } };
}

const ADAPTIVE: Thinking = { thinking: { type: 'adaptive' } };

/** True where the model thinks during the answer, on request or because the endpoint declares that it does by default. */
export function thinks({ thinking }: Thinking, endpoint: Endpoint): boolean {
  return thinking === undefined ? endpoint.reasoning?.defaultEnabled === true : thinking.type !== 'disabled';
}

/** The last answer made calls without thinking before them, as another provider does, and their results follow. */
function isUnthoughtLoop(messages: readonly TurnMessage[]): boolean {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const calling = messages[at];
  if (calling?.role !== 'assistant' || messages[at + 1]?.role !== 'tool') return false;
  const [first] = calling.blocks ?? [];
  if (first !== undefined) return first.type !== 'reasoning' || !isOwnThinking(first.detail);
  return !calling.reasoningDetails?.some(isOwnThinking);
}

/** `enable_thinking`, where the endpoint declares this parameter. */
export function switchedBy({ sampling }: Turn, { supportedParameters }: Endpoint): boolean | undefined {
  const switched = sampling.enable_thinking;
  return typeof switched === 'boolean' && supportedParameters.includes('enable_thinking') ? switched : undefined;
}

const THINKING_TOP_P_MIN = 0.95;

/** A model that thinks refuses any temperature but its own, `top_k`, and a `top_p` that cuts much off. */
export function refusedWhileThinking(name: string, value: unknown): boolean {
  if (name === 'temperature') return value !== 1;
  return name === 'top_k' || (name === 'top_p' && (value as number) < THINKING_TOP_P_MIN);
}

/** Adds to `names` the settings of reasoning that the thinking of a body leaves out, under the names of `honoured`. */
export function addLostThinking(
  { reasoning: { effort, tokensMax, enabled } = {} }: Turn,
  { thinking: thought, effort: sent }: Thinking,
  isThinking: boolean,
  names: string[],
): void {
  const isBudget = thought?.type === 'enabled';
  if (tokensMax !== undefined && !isBudget) names.push('reasoning.max_tokens');
  if (effort === undefined) {
    if ((tokensMax !== undefined || enabled === true) && !isThinking) names.push('reasoning');
  } else if (effort !== 'none' && sent === undefined && (!isBudget || tokensMax !== undefined)) {
    names.push('reasoning_effort');
  }
}
