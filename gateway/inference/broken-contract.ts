import { ProviderFailure } from '../providers/provider-failure.ts';

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
