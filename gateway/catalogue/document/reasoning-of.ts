import type { Effort, ReasoningControls } from '../../../actors/terms/endpoint.ts';
import type { DeclaredDescriptor } from './document-schema.ts';

const STRONGEST_FIRST: readonly Effort[] = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'];

type Parameters = Readonly<Record<string, DeclaredDescriptor>>;

/**
 * The reasoning controls that a text output declares: `reasoning_effort`, `enable_thinking`, and of `reasoning` the
 * properties `effort`, `enabled` and `max_tokens`. Null if it declares none. (rule C5)
 */
export function reasoningOf(parameters: Parameters): ReasoningControls | null {
  const { reasoning, reasoning_effort, enable_thinking } = parameters;
  if (!reasoning && !reasoning_effort && !enable_thinking) return null;
  const own: Parameters = reasoning?.type === 'object' ? ((reasoning.properties ?? {}) as Parameters) : {};
  const effort = own.effort ?? reasoning_effort;
  const enabled = own.enabled ?? enable_thinking;
  const efforts = effort?.type === 'enum' ? ranked(effort.values) : undefined;
  const off = enabled?.type === 'boolean' || efforts?.includes('none') === true;
  return {
    ...(efforts === undefined ? {} : { efforts }),
    mandatory: !off,
    ...(effort?.type === 'enum' && isEffort(effort.default) ? { defaultEffort: effort.default } : {}),
    ...(enabled?.type === 'boolean' && typeof enabled.default === 'boolean' ? { defaultEnabled: enabled.default } : {}),
    ...budgetOf(own.max_tokens),
  };
}

function ranked(values: readonly unknown[]): readonly Effort[] {
  return STRONGEST_FIRST.filter((effort) => values.includes(effort));
}

function isEffort(value: unknown): value is Effort {
  return STRONGEST_FIRST.includes(value as Effort);
}

function budgetOf(declared: DeclaredDescriptor | undefined): Pick<ReasoningControls, 'budget'> {
  if (declared?.type !== 'integer' && declared?.type !== 'range') return {};
  return { budget: { min: declared.min ?? 0, max: declared.max ?? Number.MAX_SAFE_INTEGER } };
}
