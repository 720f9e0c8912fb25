import type { MediaPart, Turn } from '../../terms/turn.ts';
import { requiredParameters } from './declarations.ts';
import type { Resolved } from './resolve.ts';

/** The routing settings of a workspace for all its turns: a turn may tighten them, never loosen them. */
export interface RoutingDefaults {
  /** Only endpoints vetted for zero data retention. */
  readonly zeroRetention?: boolean;
  /** Order of the endpoints of several models where a turn does not set it. */
  readonly partition?: 'model' | 'none';
  /** Provider slugs or endpoint tags: the only ones that may serve; null and absent allow all. */
  readonly allowed?: readonly string[] | null;
  /** Provider slugs or endpoint tags that never serve. */
  readonly ignored?: readonly string[];
}

/** A kind of input that a turn carries, listed once. */
export interface CarriedInput {
  readonly modality: MediaPart['type'];
  readonly kind: 'url' | 'data';
  /** Media type of inline bytes; null for a URL. */
  readonly mediaType: string | null;
}

/** The conditions of a turn on any endpoint, computed once per turn and requested model. */
export interface Constraints {
  readonly turn: Turn;
  readonly requiredParameters: readonly string[];
  readonly carried: readonly CarriedInput[];
  readonly promptTokens: number;
  readonly freeOnly: boolean;
  /** Only endpoints with reliable tool calls. */
  readonly reliable: boolean;
  /** The member that requests zero retention; null when none does. */
  readonly zeroRetention: string | null;
  /** The workspace's lists of providers, which a request can narrow and never widen. */
  readonly workspace: Pick<RoutingDefaults, 'allowed' | 'ignored'>;
}

/** The constraints that do not depend on the requested model. */
type SharedConstraints = Pick<Constraints, 'turn' | 'carried' | 'promptTokens' | 'zeroRetention' | 'workspace'>;

export function sharedConstraints(turn: Turn, promptTokens: number, defaults: RoutingDefaults): SharedConstraints {
  return {
    turn,
    carried: turn.modalities && turn.modalities.input.length > 0 ? carriedBy(turn) : NOTHING,
    promptTokens,
    zeroRetention: turn.preferences.zeroRetention ?? (defaults.zeroRetention ? 'workspace.zdr' : null),
    workspace: defaults,
  };
}

export function constraintsOf(
  { turn, carried, promptTokens, zeroRetention, workspace }: SharedConstraints,
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
    workspace,
  };
}

const NOTHING: readonly CarriedInput[] = [];

function carriedBy({ messages }: Turn): readonly CarriedInput[] {
  const kinds = new Map<string, CarriedInput>();
  for (const message of messages) {
    for (const part of message.role === 'assistant' ? [] : (message.parts ?? [])) {
      if (part.type === 'text') continue;
      const { source, type: modality } = part;
      // A stored file is sent by value.
      const kind = source.kind === 'url' ? 'url' : 'data';
      const mediaType = source.kind === 'url' ? null : source.mediaType;
      kinds.set(`${modality} ${kind} ${mediaType}`, { modality, kind, mediaType });
    }
  }
  return [...kinds.values()];
}
