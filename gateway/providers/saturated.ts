import { ProviderFailure } from './provider-failure.ts';

/**
 * Our own bound on calls to one provider: another endpoint is tried at once, and nothing is held against this one, or a
 * crowd of our callers would have a healthy provider taken for a broken one. (reliability, X39)
 */
export class Saturated extends ProviderFailure {
  constructor(message: string, status: number | null) {
    super('overloaded', message, status);
  }

  override get repeatable(): boolean {
    return false;
  }

  override get counted(): boolean {
    return false;
  }
}
