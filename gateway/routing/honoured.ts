import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { adapterOf } from '../providers/call/target.ts';
import type { Turn } from '../terms/turn.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import { declarations, declared, requiredParameters } from './endpoints/declarations.ts';

const NOTHING: readonly string[] = [];

/**
 * Every requested setting, and whether the endpoint declares it and its wire sends it under this token ceiling. Parts of
 * the conversation are named only where the wire has no form for them. (rule I51)
 */
export function honoured(turn: Turn, endpoint: Endpoint, ceiling: number): Readonly<Record<string, boolean>> {
  const declares = declarations(endpoint);
  const settings: Record<string, boolean> = {};
  for (const name of Object.keys(turn.sampling)) settings[name] = declared(declares, name);
  for (const name of requiredParameters(turn)) settings[name] = declared(declares, name);
  if (turn.responseFormat?.type === 'json_schema') settings.response_format = declares.has('structured_outputs');
  if (turn.toolChoice !== undefined) settings.tool_choice = declares.has('tools');
  if (turn.parallelToolCalls !== undefined) settings.parallel_tool_calls = declares.has('parallel_tool_calls');
  if (turn.reasoning?.tokensMax !== undefined)
    settings['reasoning.max_tokens'] = endpoint.reasoning?.budget !== undefined;
  const output = turn.modalities?.output ?? [];
  if (output.length > 0 && rulesOf(turn).choosesOutputs)
    settings.modalities = output.every((modality) => endpoint.outputModalities.includes(modality));
  if (turn.imageConfig) settings.image_config = endpoint.outputModalities.includes('image');
  if (turn.speech) settings.audio = endpoint.envelopes.speech !== undefined;
  for (const name of endpoint.target.wire?.omit ?? NOTHING) if (settings[name]) settings[name] = false;
  for (const name of adapterOf(endpoint)?.leftOut(turn, endpoint, ceiling) ?? NOTHING) settings[name] = false;
  return settings;
}
