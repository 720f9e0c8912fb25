import { mediaTypeName } from '../../terms/media-type-name.ts';
import type { TurnMessage } from '../../terms/turn.ts';
import type { CarriedInput, Constraints } from '../endpoints/constraints.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import type { RuleViolation } from './rule-violation.ts';

/** Token ids have no characters. */
const UNPRICED: RuleViolation = { reason: 'source', detail: 'an input of token ids, where characters are priced,' };

/**
 * The endpoint must accept the modality, source kind and container of every part. A URL has no container, so no rule
 * about containers rejects it; bytes without a media type match no container. An endpoint that fetches its audio does
 * not accept bytes, and an input that a valid check refuted is not accepted. (rule I123)
 */
export function inputsRule({ endpoint }: IndexedEndpoint, { turn, carried }: Constraints): RuleViolation | null {
  const { refutedInputs = [] } = endpoint.evidence;
  for (const modality of turn.modalities?.input ?? []) {
    if (modality === 'text') continue;
    const isTaken = endpoint.inputModalities.includes(modality) && endpoint.inputs[modality] !== undefined;
    if (!isTaken || refutedInputs.includes(modality)) return { reason: 'modality', detail: modality };
  }
  if (endpoint.tariff.character !== undefined && turn.messages.some(isTokens)) return UNPRICED;
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
