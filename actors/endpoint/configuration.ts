import { createHash } from 'node:crypto';
import type { EndpointDeclaration } from '../terms/declaration.ts';

/**
 * Names what a check has tested: the same text for the same serving configuration. What an endpoint is called, charges
 * or promises about data is no part of it, so that a new price frees nobody of what was found.
 * (spec: catalogue, "its tested serving configuration")
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
