import { GatewayError } from './gateway-error.ts';

/**
 * The client left before its answer began: during the upload, or before the first delivery. No answer is written;
 * status and message are recorded with the released hold.
 */
export class CallerLeft extends GatewayError {
  override readonly name = 'CallerLeft';

  constructor() {
    super({ status: 408, type: 'timeout', message: 'The caller left before the answer began' });
  }
}
