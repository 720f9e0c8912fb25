/** How money comes in. Amounts are exact decimal USD. */
export interface DepositConfig {
  /** A deposit or an adjustment by an operator above this waits until a second operator has approved it. */
  readonly approvalAboveUsd: string;
  /** Bounds of one payment by a customer. */
  readonly minUsd: string;
  readonly maxUsd: string;
  /** The page on which customers pay by card, described at `GET /deposits/rails`; absent: none. */
  readonly card?: { readonly url: string };
  /** Absent: no payments by x402. */
  readonly x402?: X402Config;
  readonly payments: PaymentLimits;
}

/** Payments with a stable coin, settled by a facilitator (x402, version 2, scheme `exact`). */
export interface X402Config {
  /** Base address of the facilitator. */
  readonly facilitator: string;
  /** The variable with the secret that authenticates this service to the facilitator; never empty. */
  readonly secretEnv: string;
  /** CAIP-2, such as `eip155:8453`; the contract of the coin, its EIP-712 name and version, and its decimals. */
  readonly network: string;
  readonly asset: string;
  readonly assetName: string;
  readonly assetVersion: string;
  readonly assetDecimals: number;
  /** The address that is paid. */
  readonly payTo: string;
}

/** Bounds of x402 payments. Times in ms. */
export interface PaymentLimits {
  /** How long an authorization may be valid when it is presented. */
  readonly authorizationMs: number;
  /** The longest wait of one request for the credit of its payment. */
  readonly waitMs: number;
  /** Until the facilitator has answered one question. */
  readonly answerMs: number;
  readonly answerBytesMax: number;
  /** Payments that one node asks about at once: in total, and of one account. */
  readonly runningMax: number;
  readonly runningPerAccountMax: number;
}
