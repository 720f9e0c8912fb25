import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { PARAMETER_ROWS } from '../../terms/parameters.ts';
import type { Turn } from '../../terms/turn.ts';

const cache = new WeakMap<Endpoint, ReadonlySet<string>>();

/**
 * The parameters that an endpoint declares and no current verification refutes. Computed once per endpoint object.
 * (rule I110, rule I111)
 */
export function declarations(endpoint: Endpoint): ReadonlySet<string> {
  const known = cache.get(endpoint);
  if (known) return known;
  const { withheld } = endpoint.evidence;
  const declared = new Set(endpoint.supportedParameters.filter((parameter) => !withheld.includes(parameter)));
  cache.set(endpoint, declared);
  return declared;
}

/** Applied where an endpoint declares them; they disqualify an endpoint only when every parameter is required. */
const ADVISORY: ReadonlySet<string> = new Set(
  PARAMETER_ROWS.filter(([, { advisory }]) => advisory === true).map(([name]) => name),
);

const NONE: readonly string[] = [];

/**
 * The parameters that an endpoint must declare for a turn: every optional setting in it, with `strict` the advisory
 * ones as well. A tool choice needs only `tools`; a JSON schema needs structured outputs in every dialect, since JSON
 * mode alone does not follow it; the token ceiling needs no declaration, and neither does hiding the reasoning, which
 * the gateway does itself. (rule I110)
 */
export function requiredParameters(turn: Turn, strict = false): readonly string[] {
  const { reasoning, tools, responseFormat, requires } = turn;
  const sampled = Object.keys(turn.sampling);
  if (sampled.length === 0 && !tools && !responseFormat && !requires && !reasoning) return NONE;
  const needed = strict ? sampled : sampled.filter((name) => !ADVISORY.has(name));
  if (tools) needed.push('tools');
  if (strict && turn.parallelToolCalls !== undefined) needed.push('parallel_tool_calls');
  if (responseFormat) needed.push(responseFormat.type === 'json_schema' ? 'structured_outputs' : 'response_format');
  if (reasoning?.effort !== undefined) needed.push('reasoning_effort');
  else if (reasoning?.tokensMax !== undefined || reasoning?.enabled !== undefined) needed.push('reasoning');
  return requires ? needed.concat(requires) : needed;
}

/** True when a parameter is declared. The reasoning control has two published names, and a switch of its own. */
export function declared(declares: ReadonlySet<string>, parameter: string): boolean {
  if (declares.has(parameter)) return true;
  if (parameter === 'reasoning_effort') return declares.has('reasoning');
  return parameter === 'reasoning' && (declares.has('reasoning_effort') || declares.has('enable_thinking'));
}
