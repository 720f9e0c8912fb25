import { createHash } from 'node:crypto';
import type { EndpointDeclaration } from '../terms/endpoint.ts';

/**
 * Digest of the serving configuration that checks test: equal configurations have equal digests. Names, prices and data
 * policies are not part of it, so that a price change does not discard findings. (rule C40)
 */
export function configurationOf(declaration: EndpointDeclaration): string {
  const { target, quantization, ceilingName, supportedParameters, reasoning, defaultParameters } = declaration;
  const { contextLength, completionTokensMax, promptTokensMax, inputModalities, outputModalities } = declaration;
  const tested = [
    ...[target.dialect, target.baseUrl, target.upstreamId, quantization, ceilingName],
    ...[supportedParameters, reasoning, defaultParameters, declaration.descriptors, declaration.passthrough],
    ...[contextLength, completionTokensMax, promptTokensMax, inputModalities, outputModalities],
  ];
  return createHash('sha256').update(JSON.stringify(tested)).digest('hex').slice(0, 16);
}
