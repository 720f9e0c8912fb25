import type { MediaPart, Turn } from '../terms/turn.ts';
import { requiredParameters } from './required-parameters.ts';
import type { Resolved } from './resolve.ts';

/** What an account has set for all its turns: a turn may tighten it and never loosen it. */
export interface RoutingDefaults {
  /** Only endpoints vetted for zero data retention. */
  readonly zeroRetention?: boolean;
  /** How the endpoints of several models are ordered where a turn does not say. */
  readonly partition?: 'model' | 'none';
}

/** A kind of input that a turn carries, each once. */
export interface CarriedInput {
  readonly modality: MediaPart['type'];
  readonly kind: 'url' | 'data';
  /** Of bytes that name it; an address names none. */
  readonly mediaType: string | null;
}

/** What a turn asks of any endpoint, worked out once per turn and way of naming a model. */
export interface Constraints {
  readonly turn: Turn;
  readonly requiredParameters: readonly string[];
  readonly carried: readonly CarriedInput[];
  readonly promptTokens: number;
  readonly freeOnly: boolean;
  /** Only endpoints whose tool calls have a reliability to go by. */
  readonly reliable: boolean;
  /** The member that asks for zero retention; null when nobody does. */
  readonly zeroRetention: string | null;
}

/** What is the same however a model is named. */
export type SharedConstraints = Pick<Constraints, 'turn' | 'carried' | 'promptTokens' | 'zeroRetention'>;

export function sharedConstraints(turn: Turn, promptTokens: number, defaults: RoutingDefaults): SharedConstraints {
  return {
    turn,
    carried: turn.modalities && turn.modalities.input.length > 0 ? carriedBy(turn) : NOTHING,
    promptTokens,
    zeroRetention: turn.preferences.zeroRetention ?? (defaults.zeroRetention ? 'workspace.zdr' : null),
  };
}

export function constraintsOf(
  { turn, carried, promptTokens, zeroRetention }: SharedConstraints,
  named: Resolved,
): Constraints {
  const { preferences } = turn;
  const reliable = (named.sort ?? preferences.sort) === 'exacto';
  return {
    turn,
    requiredParameters: requiredParameters(turn, reliable || preferences.requireParameters === true),
    carried,
    promptTokens,
    freeOnly: named.freeOnly ?? false,
    reliable,
    zeroRetention,
  };
}

const NOTHING: readonly CarriedInput[] = [];

function carriedBy({ messages }: Turn): readonly CarriedInput[] {
  const kinds = new Map<string, CarriedInput>();
  for (const message of messages) {
    for (const part of message.role === 'assistant' ? [] : (message.parts ?? [])) {
      if (part.type === 'text') continue;
      const { source, type: modality } = part;
      const mediaType = source.kind === 'data' ? source.mediaType : null;
      kinds.set(`${modality} ${source.kind} ${mediaType}`, { modality, kind: source.kind, mediaType });
    }
  }
  return [...kinds.values()];
}
