import { ProviderFailure } from '../provider-failure.ts';

/**
 * The call failed after it may have reached the provider: a render may be under way there that nothing identifies. It
 * is repeated only where the provider recognises its idempotency key. (rule V24)
 */
export class UncertainRender extends ProviderFailure {
  readonly uncertain = true;
}
