import type { ObservedAttempt } from '../../actors/endpoint/window.ts';
import { ProviderFailure } from '../providers/provider-failure.ts';
import type { ToolChoice, Turn } from '../terms/turn.ts';

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

/**
 * The answer is prose where a tool call or a picture was required (rule I115). The failure is excused where the answer
 * was refused, filtered or cut at the client's own ceiling: the attempt fails as well, but the endpoint is not at
 * fault. Otherwise any client could have an endpoint shunned by requiring calls within one token.
 */
export class BrokenContract extends ProviderFailure {
  readonly excused: boolean;

  constructor(message: string, status: number | null, excused: boolean) {
    super('contract', message, status);
    this.excused = excused;
  }

  override get counted(): boolean {
    return !this.excused;
  }
}
