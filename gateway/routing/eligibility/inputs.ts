import { mediaTypeName } from '../../terms/media-type.ts';
import type { CarriedInput, Constraints } from '../constraints.ts';
import type { IndexedEndpoint } from '../endpoint-index.ts';
import type { EligibilityRule } from './eligibility-rule.ts';

/**
 * Every part goes only to who takes its modality, from where it comes, in its container. An address names no container,
 * so that no rule about containers withholds it; bytes that name none are in no accepted one. An endpoint that fetches
 * its audio cannot be given bytes. (spec: inference, Messages in a chat request; Routing rules 7)
 */
export function inputsRule({ endpoint }: IndexedEndpoint, { turn, carried }: Constraints): EligibilityRule | null {
  for (const modality of turn.modalities?.input ?? []) {
    if (modality === 'text') continue;
    const isTaken = endpoint.inputModalities.includes(modality) && endpoint.inputs[modality] !== undefined;
    if (!isTaken) return { reason: 'modality', detail: modality };
  }
  for (const part of carried) {
    const accepted = endpoint.inputs[part.modality];
    if (!accepted) return { reason: 'modality', detail: part.modality };
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
