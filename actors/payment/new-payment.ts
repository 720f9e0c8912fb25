import type { Json } from '../runtime/index.ts';
import type { PaymentName } from '../terms/payment.ts';

/** A signed payment as a node received and checked it. */
export interface NewPayment extends PaymentName {
  /** Account id and address of the key that presented it. */
  readonly account: string;
  readonly key: string;
  /** What the account is credited, exact decimal USD. */
  readonly amount: string;
  /** The signed payload and the requirements it accepts, as the facilitator receives them. */
  readonly payload: Json;
  readonly requirements: Json;
  /** Store time after which the network accepts the authorization no more, ms. */
  readonly validBefore: number;
}
