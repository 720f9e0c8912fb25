import type { Turn } from '../terms/turn.ts';

/** Applied where an endpoint declares them, a reason to refuse one only when every parameter was required. */
const ADVISORY: ReadonlySet<string> = new Set(['enable_thinking', 'parallel_tool_calls']);

const NONE: readonly string[] = [];

/**
 * The declarations an endpoint needs for a turn: every optional setting that was asked for, with `strict` the advisory
 * ones too. A tool choice needs no more than tools; the token ceiling needs none; hiding the reasoning is our own doing.
 * (spec: inference, Routing rules 2)
 */
export function requiredParameters(turn: Turn, strict = false): readonly string[] {
  const { reasoning, tools, responseFormat, requires } = turn;
  const sampled = Object.keys(turn.sampling);
  if (sampled.length === 0 && !tools && !responseFormat && !requires && !reasoning) return NONE;
  const needed = strict ? sampled : sampled.filter((name) => !ADVISORY.has(name));
  if (tools) needed.push('tools');
  if (strict && turn.parallelToolCalls !== undefined) needed.push('parallel_tool_calls');
  if (responseFormat) needed.push('response_format');
  if (reasoning?.effort !== undefined) needed.push('reasoning_effort');
  else if (reasoning?.tokensMax !== undefined || reasoning?.enabled !== undefined) needed.push('reasoning');
  return requires ? needed.concat(requires) : needed;
}

/** Whether declarations hold a parameter. The control of reasoning has two published names. */
export function declared(declares: ReadonlySet<string>, parameter: string): boolean {
  if (declares.has(parameter)) return true;
  return (
    (parameter === 'reasoning_effort' && declares.has('reasoning')) ||
    (parameter === 'reasoning' && declares.has('reasoning_effort'))
  );
}
