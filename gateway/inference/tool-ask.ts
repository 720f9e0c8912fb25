import type { ObservedAttempt } from '../../actors/endpoint/window.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import type { ToolChoice, Turn } from '../terms/turn.ts';
import { BrokenContract } from './broken-contract.ts';

type ToolAsk = NonNullable<ObservedAttempt['toolAsk']>;

/** The choice where it requires a call, or a call of that name; null otherwise. */
export function requiredChoice(choice: ToolChoice | undefined): 'required' | { readonly name: string } | null {
  return choice === 'required' || typeof choice === 'object' ? choice : null;
}

/**
 * An attempt's sample of its endpoint's tool fidelity: only required calls count, and of them only answers that reached
 * their end, with the call or without. Null where the attempt gives no sample. (rule C35)
 */
export function toolAsk(turn: Turn, ended: ProviderFailure | 'served' | 'left'): ToolAsk | null {
  if (requiredChoice(turn.toolChoice) === null) return null;
  if (ended === 'served') return 'kept';
  return ended instanceof BrokenContract && !ended.excused ? 'broken' : null;
}
