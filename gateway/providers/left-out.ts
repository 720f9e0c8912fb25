import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { MediaPart, Turn, TurnMessage } from '../terms/turn.ts';
import { MARKS_MAX, marksIn } from './cache-marks.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/**
 * True for a setting that an endpoint takes only alone, where the turn has another one of a declared group. The
 * first of the group that the turn asks for is sent, before one that is only recommended. `reasoning` is asked for where
 * the model reasons.
 */
export function isExcluded(name: string, turn: Turn, endpoint: Endpoint): boolean {
  const { exclusive } = endpoint.target.wire ?? {};
  if (exclusive === undefined) return false;
  return exclusive.some((group) => {
    if (!group.includes(name)) return false;
    const sent =
      group.find((member) =>
        member === 'reasoning' ? reasons(turn, endpoint) : turn.sampling[member] !== undefined,
      ) ?? group.find((member) => endpoint.defaultParameters[member] !== undefined);
    return sent !== undefined && sent !== name;
  });
}

function reasons({ reasoning: { effort, enabled, tokensMax } = {} }: Turn, { reasoning }: Endpoint): boolean {
  if (effort !== undefined) return effort !== 'none';
  if (enabled !== undefined) return enabled;
  return tokensMax !== undefined || reasoning?.mandatory === true || reasoning?.defaultEnabled === true;
}

/** What of a conversation a wire has a form for, where wires differ. */
export interface ConversationForms {
  /** The `name` of a message. */
  readonly names: boolean;
  /** Marks for the provider's cache, of parts, calls and tools. */
  readonly marks: boolean;
  /** Everything that a medium has besides its bytes: the `detail` of a picture, the `context` of a document. */
  medium(part: MediaPart): boolean;
  /** Documents of parts, results of searches, and that passages of these and of other documents are to be cited. */
  readonly origins?: true;
  /** The reasoning of an earlier answer that has some. */
  reasoning(message: Assistant): boolean;
}

/**
 * Adds to `names` what a conversation has and the wire has no form for, under the names of `honoured`: `messages.name`,
 * `messages.reasoning`, `messages.media`, `cache_control`. Each once.
 */
export function addLostParts(turn: Turn, forms: ConversationForms, names: string[]): void {
  let name = false;
  let reasoning = false;
  let media = false;
  for (const message of turn.messages) {
    if (message.role === 'assistant') {
      name ||= message.name !== undefined;
      if (message.reasoningDetails !== undefined || message.reasoning) reasoning ||= !forms.reasoning(message);
      continue;
    }
    if (message.role !== 'tool') name ||= message.name !== undefined;
    for (const part of message.parts ?? NO_PARTS) {
      if (part.origin !== undefined) media ||= !forms.origins;
      if (part.type !== 'text') media ||= !forms.medium(part) || (part.cited === true && !forms.origins);
    }
  }
  if (name && !forms.names) names.push('messages.name');
  if (reasoning) names.push('messages.reasoning');
  if (media) names.push('messages.media');
  if (marksIn(turn) > (forms.marks ? MARKS_MAX : 0)) names.push('cache_control');
}

const NO_PARTS = [] as const;
