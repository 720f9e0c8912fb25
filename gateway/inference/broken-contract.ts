import { ProviderFailure } from '../providers/provider-failure.ts';

/**
 * Prose where a tool call was demanded (spec: inference, Routing rules 4). Excused where the answer was refused, filtered
 * or cut at the caller's own ceiling: that fails the attempt as well and tells nothing about the endpoint, or anybody
 * could have it shunned by asking for calls in one token.
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
