import type { Attempt } from '../../actors/endpoint/window.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import type { ToolChoice, Turn } from '../terms/turn.ts';
import { BrokenContract } from './broken-contract.ts';

type ToolAsk = Pick<Attempt, 'toolAsk'>;
const NONE: ToolAsk = {};
const KEPT: ToolAsk = { toolAsk: 'kept' };
const BROKEN: ToolAsk = { toolAsk: 'broken' };

/** The choice where it is a contract: a call, or a call of that name. Null where nothing is demanded. */
export function demandedChoice(choice: ToolChoice | undefined): 'required' | { readonly name: string } | null {
  return choice === 'required' || typeof choice === 'object' ? choice : null;
}

/**
 * What an attempt tells about its endpoint's tool fidelity: only demanded calls count, and of them only answers that came
 * to their end, with the call or without. (spec: catalogue, `tool_call_success_1d`)
 */
export function toolAsk(turn: Turn, ended: ProviderFailure | 'served' | 'left'): ToolAsk {
  if (demandedChoice(turn.toolChoice) === null) return NONE;
  if (ended === 'served') return KEPT;
  return ended instanceof BrokenContract && !ended.excused ? BROKEN : NONE;
}
