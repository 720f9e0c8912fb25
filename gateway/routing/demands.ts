import type { Turn } from '../terms/turn.ts';

/** Applied where an endpoint declares them, never a reason to refuse one. */
const ADVISORY: ReadonlySet<string> = new Set(['enable_thinking', 'parallel_tool_calls']);

const NONE: readonly string[] = [];

/**
 * The declarations an endpoint needs for a turn: every optional setting that was asked for. A tool choice needs no more
 * than tools; the token ceiling needs none. (spec: inference, Routing rules 2)
 */
export function demands(turn: Turn): readonly string[] {
  const sampled = Object.keys(turn.sampling);
  if (sampled.length === 0 && !turn.tools && !turn.responseFormat && !turn.requires && !turn.reasoning) return NONE;
  const needed = sampled.filter((name) => !ADVISORY.has(name));
  if (turn.tools) needed.push('tools');
  if (turn.responseFormat) needed.push('response_format');
  if (turn.reasoning) needed.push(turn.reasoning.effort === undefined ? 'reasoning' : 'reasoning_effort');
  return turn.requires ? needed.concat(turn.requires) : needed;
}

/** One control under two published names. */
export function declared(declares: ReadonlySet<string>, parameter: string): boolean {
  return declares.has(parameter) || (parameter === 'reasoning_effort' && declares.has('reasoning'));
}

/** Every setting that was asked for, and whether this endpoint declares it. */
export function honoured(turn: Turn, declares: ReadonlySet<string>): Readonly<Record<string, boolean>> {
  const verdict: Record<string, boolean> = {};
  for (const name of Object.keys(turn.sampling)) verdict[name] = declared(declares, name);
  for (const name of demands(turn)) verdict[name] = declared(declares, name);
  if (turn.toolChoice !== undefined) verdict.tool_choice = declares.has('tools');
  if (turn.parallelToolCalls !== undefined) verdict.parallel_tool_calls = declares.has('parallel_tool_calls');
  return verdict;
}
