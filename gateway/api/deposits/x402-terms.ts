import { multiply } from '../../../actors/terms/usd.ts';
import type { PaymentLimits, X402Config } from '../../terms/config/deposit-config.ts';

/** What a payer is asked to sign. (x402 version 2, PaymentRequirements) */
export interface Requirements {
  readonly scheme: 'exact';
  readonly network: string;
  /** Atomic units of the coin, decimal digits. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: { readonly name: string; readonly version: string };
}

/** The requirements for an amount in USD; null where the coin has no unit that small. */
export function requirementsOf(
  amount: string,
  x402: X402Config,
  { authorizationMs }: Pick<PaymentLimits, 'authorizationMs'>,
): Requirements | null {
  const atoms = multiply(amount, 10 ** Math.min(x402.assetDecimals, 15));
  // Above 15 digits a number is not exact, so the rest is multiplied apart.
  const whole = x402.assetDecimals > 15 ? multiply(atoms, 10 ** (x402.assetDecimals - 15)) : atoms;
  if (!/^\d+$/.test(whole)) return null;
  const { network, asset, payTo, assetName: name, assetVersion: version } = x402;
  return {
    scheme: 'exact',
    network,
    amount: whole,
    asset,
    payTo,
    maxTimeoutSeconds: Math.floor(authorizationMs / 1_000),
    extra: { name, version },
  };
}

/** The value of `PAYMENT-REQUIRED`. `error` says what was wrong with a payment that was sent. */
export function paymentRequiredHeader(requirements: Requirements, url: string, error?: string): string {
  const resource = { url, description: 'Credit for this account', mimeType: 'application/json' };
  return encoded({ x402Version: 2, ...(error === undefined ? {} : { error }), resource, accepts: [requirements] });
}

/** The value of `PAYMENT-RESPONSE`. */
export function paymentResponseHeader(settled: {
  readonly transaction: string | null;
  readonly network: string;
  readonly payer: string;
  readonly errorReason?: string;
}): string {
  const { transaction, ...rest } = settled;
  return encoded({ success: rest.errorReason === undefined, transaction: transaction ?? '', ...rest });
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** The members of a signed payment that name it. */
interface SignedPayment {
  readonly payer: string;
  readonly nonce: string;
  /** Seconds since the epoch. */
  readonly validAfter: number;
  readonly validBefore: number;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NONCE = /^0x[0-9a-fA-F]{64}$/;
const SIGNATURE = /^0x([0-9a-fA-F]{2}){1,2048}$/;
const SECONDS = /^\d{1,12}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Reads `PAYMENT-SIGNATURE`. A text: it is malformed, and why. */
export function readPayment(header: string): { readonly version: unknown; readonly payload: PaymentPayload } | string {
  if (!BASE64.test(header)) return 'is not base64';
  try {
    const payload = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as PaymentPayload;
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return 'is no JSON object';
    return { version: payload.x402Version, payload };
  } catch {
    return 'is not JSON';
  }
}

/** The wire form; every member is still to be checked. */
interface PaymentPayload {
  readonly x402Version?: unknown;
  readonly accepted?: unknown;
  readonly payload?: unknown;
}

/** The signed payment that meets the requirements. A text: what of it is malformed. */
export function signedPayment({ payload }: PaymentPayload): SignedPayment | string {
  const { signature, authorization } = recordOf(payload);
  const { from, nonce, validAfter, validBefore } = recordOf(authorization);
  if (!matches(signature, SIGNATURE)) return 'payload.signature must be hex digits';
  if (!matches(from, ADDRESS)) return 'payload.authorization.from must be an address';
  if (!matches(nonce, NONCE)) return 'payload.authorization.nonce must be 0x and 64 hex digits';
  if (!matches(validAfter, SECONDS) || !matches(validBefore, SECONDS)) {
    return 'payload.authorization.validAfter and validBefore must be seconds, as decimal text';
  }
  return {
    payer: from,
    nonce,
    validAfter: Number(validAfter),
    validBefore: Number(validBefore),
  };
}

/** Why the payment does not meet the requirements, as a code of the protocol; null where it does. */
export function mismatch({ accepted, payload }: PaymentPayload, wanted: Requirements): string | null {
  const { scheme, network, amount, asset, payTo } = recordOf(accepted);
  const { to, value } = recordOf(recordOf(payload).authorization);
  if (scheme !== wanted.scheme) return 'unsupported_scheme';
  if (network !== wanted.network) return 'invalid_network';
  if (amount !== wanted.amount || value !== wanted.amount) return 'invalid_exact_evm_payload_authorization_value';
  if (!sameAddress(asset, wanted.asset)) return 'invalid_payment_requirements';
  if (!sameAddress(payTo, wanted.payTo) || !sameAddress(to, wanted.payTo))
    return 'invalid_exact_evm_payload_recipient_mismatch';
  return null;
}

/** An authorization that ends sooner may end before it is settled. */
const LEFT_MS_MIN = 6_000;
/** A payer's clock may be ahead of ours by this. */
const AHEAD_MS_MAX = 60_000;

/** Why the payment cannot be taken at a store time; null where it can. All times in ms. */
export function badTime(
  { validAfter, validBefore }: { readonly validAfter: number; readonly validBefore: number },
  now: number,
  { authorizationMs }: Pick<PaymentLimits, 'authorizationMs'>,
): string | null {
  if (validAfter > now) return 'invalid_exact_evm_payload_authorization_valid_after';
  if (validBefore < now + LEFT_MS_MIN || validBefore > now + authorizationMs + AHEAD_MS_MAX) {
    return 'invalid_exact_evm_payload_authorization_valid_before';
  }
  return null;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function sameAddress(value: unknown, address: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === address.toLowerCase();
}
