import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Turn } from '../terms/turn.ts';
import { declarations } from './declarations.ts';
import { declared, requiredParameters } from './required-parameters.ts';

/**
 * Every setting that was asked for, and whether the endpoint's declarations cover it: what routing demanded is true of
 * any endpoint that serves; what is advisory may be false. (spec: inference, Chat stream 3)
 */
export function honoured(turn: Turn, endpoint: Endpoint): Readonly<Record<string, boolean>> {
  const declares = declarations(endpoint);
  const verdict: Record<string, boolean> = {};
  for (const name of Object.keys(turn.sampling)) verdict[name] = declared(declares, name);
  for (const name of requiredParameters(turn)) verdict[name] = declared(declares, name);
  if (turn.toolChoice !== undefined) verdict.tool_choice = declares.has('tools');
  if (turn.parallelToolCalls !== undefined) verdict.parallel_tool_calls = declares.has('parallel_tool_calls');
  if (turn.reasoning?.tokensMax !== undefined)
    verdict['reasoning.max_tokens'] = endpoint.reasoning?.budget !== undefined;
  const output = turn.modalities?.output ?? [];
  if (output.length > 0) verdict.modalities = output.every((modality) => endpoint.outputModalities.includes(modality));
  if (turn.imageConfig) verdict.image_config = endpoint.outputModalities.includes('image');
  if (turn.speech) verdict.audio = endpoint.envelopes.speech !== undefined;
  return verdict;
}
