import { GatewayError } from './gateway-error.ts';

/**
 * The caller left before its answer began: during the upload, or before the first part. No answer is written; the status
 * and the message go to the record of a hold that is released.
 */
export class CallerLeft extends GatewayError {
  override readonly name = 'CallerLeft';

  constructor() {
    super({ status: 408, type: 'timeout', message: 'The caller left before the answer began' });
  }
}
