import type { EndpointTarget } from '../../../actors/terms/endpoint.ts';

const FIRST = /(?:^|\/)(?:gemini-[12](?:\.\d)?-|gemma)/;

/** Models before Gemini 3 demand no thought signature, and take no media inside the result of a tool. */
export function isOfFirstFamilies({ upstreamId }: EndpointTarget): boolean {
  return FIRST.test(upstreamId);
}

/** A call in the current turn is refused without a thought signature: as declared, or else by the model's family. */
export function demandsSignatures(target: EndpointTarget): boolean {
  const { reasoningHistory = 'auto' } = target.wire ?? {};
  return reasoningHistory === 'auto' ? !isOfFirstFamilies(target) : reasoningHistory === 'signature';
}
