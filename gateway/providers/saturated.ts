import { ProviderFailure } from './provider-failure.ts';

/**
 * A call refused by the gateway's own bound on open calls to one provider. The turn tries another endpoint at once. The
 * failure does not count against this endpoint's health: otherwise a burst of callers would make a healthy provider
 * look broken. (rule I133)
 */
export class Saturated extends ProviderFailure {
  constructor(message: string, status: number | null) {
    super('overloaded', message, status);
  }

  override get isProvidersFault(): boolean {
    return false;
  }
}
