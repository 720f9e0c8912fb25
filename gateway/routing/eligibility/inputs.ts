import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { TurnMessage } from '../../terms/turn.ts';
import type { CarriedInput, Constraints } from '../endpoints/constraints.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import type { RuleViolation } from './rule-violation.ts';

const TOKEN_IDS = { reason: 'source', member: 'input' } as const satisfies RuleViolation;
const FORMLESS: RuleViolation = { ...TOKEN_IDS, detail: 'an input of token ids' };
/** Token ids have no characters. */
const UNPRICED: RuleViolation = { ...TOKEN_IDS, detail: 'an input of token ids, where characters are priced,' };

/**
 * The endpoint must accept the modality, source kind and container of every part. A URL has no container, so no rule
 * about containers rejects it; bytes without a media type match no container. An endpoint that fetches its audio does
 * not accept bytes, and an input that a valid check refuted is not accepted. Token ids need a wire with a form for them.
 * (rule I123)
 */
export function inputsRule(indexed: IndexedEndpoint, { turn, carried }: Constraints): RuleViolation | null {
  const { endpoint, embedsTextsOnly } = indexed;
  const { refutedInputs = [] } = endpoint.evidence;
  for (const modality of turn.modalities?.input ?? []) {
    if (modality === 'text') continue;
    const isTaken = endpoint.inputModalities.includes(modality) && endpoint.inputs[modality] !== undefined;
    if (!isTaken || refutedInputs.includes(modality)) return { reason: 'modality', detail: modality };
  }
  const unpriced = endpoint.tariff.character !== undefined;
  if ((unpriced || embedsTextsOnly) && turn.messages.some(isTokens)) return unpriced ? UNPRICED : FORMLESS;
  for (const part of carried) {
    const accepted = endpoint.inputs[part.modality];
    if (!accepted || refutedInputs.includes(part.modality)) return { reason: 'modality', detail: part.modality };
    if (!accepted.sources.includes(part.kind)) return { reason: 'source', detail: `${part.modality} by ${how(part)}` };
    if (part.kind === 'url' || accepted.containers === null) continue;
    if (!accepted.containers.some((container) => mediaTypeName(container) === part.mediaType)) {
      return { reason: 'source', detail: `${part.modality} as ${part.mediaType ?? 'bytes without a media type'}` };
    }
  }
  return null;
}

function how({ kind }: CarriedInput): string {
  return kind === 'url' ? 'address' : 'value';
}

function isTokens(message: TurnMessage): boolean {
  return message.role === 'user' && message.tokens !== undefined;
}
