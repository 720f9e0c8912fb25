import type { ObservedAttempt } from '../../actors/endpoint/window.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import type { ToolChoice, Turn } from '../terms/turn.ts';
import { BrokenContract } from './broken-contract.ts';

type ToolAsk = NonNullable<ObservedAttempt['toolAsk']>;

/** The choice where it is a contract: a call, or a call of that name. Null where nothing is demanded. */
export function demandedChoice(choice: ToolChoice | undefined): 'required' | { readonly name: string } | null {
  return choice === 'required' || typeof choice === 'object' ? choice : null;
}

/**
 * What an attempt tells about its endpoint's tool fidelity: only demanded calls count, and of them only answers that came
 * to their end, with the call or without. Null where it tells nothing. (spec: catalogue, `tool_call_success_1d`)
 */
export function toolAsk(turn: Turn, ended: ProviderFailure | 'served' | 'left'): ToolAsk | null {
  if (demandedChoice(turn.toolChoice) === null) return null;
  if (ended === 'served') return 'kept';
  return ended instanceof BrokenContract && !ended.excused ? 'broken' : null;
}
