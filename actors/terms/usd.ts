/**
 * Money as exact decimal text in USD. Amounts are strings in events, contexts and rows; all arithmetic on them is in
 * this file and uses no floating point. Rounding happens once, downward, in `chargeOf`.
 */
import { Decimal } from 'decimal.js';
import * as short from './short-amount.ts';

/**
 * A Decimal clone of our own: 100 significant digits hold any sum of rates (52 digits) times units (16 digits) without
 * rounding.
 */
const Exact = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_DOWN, toExpNeg: -9e15, toExpPos: 9e15 });

/** Decimals of a recorded charge. */
const CHARGE_DECIMALS = 24;

const INPUT = /^\d{1,12}(\.\d{1,40})?$/;
const CHARGE = /^\d{1,12}(\.\d{1,24})?$/;
const AT_REST = /^-?\d{1,40}(\.\d{1,64})?$/;

/** The canonical text of an external amount; null when it is invalid (sign, exponent, blanks, 1e3, .5). */
export function parseUsd(text: string): string | null {
  return short.rewritten(text) ?? (INPUT.test(text) ? write(exact(text)) : null);
}

/** As `parseUsd`, but throws: for places where an invalid amount is a programmer's error. */
export function usd(text: string): string {
  const amount = parseUsd(text);
  if (amount === null) throw new RangeError(`not an amount in USD: ${JSON.stringify(text).slice(0, 80)}`);
  return amount;
}

/** True for an external amount that can be held: not negative, strictly written. Does no arithmetic. */
export function isUsd(text: string): boolean {
  return short.isShort(text) || INPUT.test(text);
}

/** True for an external amount that can be charged: as `isUsd`, with at most 24 decimals. */
export function isCharge(text: string): boolean {
  return short.isShort(text) || CHARGE.test(text);
}

export function add(a: string, b: string): string {
  return short.sum(a, b) ?? write(exact(a).plus(exact(b)));
}

export function subtract(a: string, b: string): string {
  return short.difference(a, b) ?? write(exact(a).minus(exact(b)));
}

/** Negative when a < b, 0 when equal, positive when a > b. */
export function compare(a: string, b: string): number {
  return a === b ? 0 : (short.order(a, b) ?? exact(a).comparedTo(exact(b)));
}

/** Rate times whole units, exact and not rounded. */
export function multiply(rate: string, units: number): string {
  if (!Number.isSafeInteger(units) || units < 0) throw new RangeError(`not a count of units: ${units}`);
  return write(exact(rate).times(units));
}

/** One item of a charge: a rate and its units, a whole number or exact decimal text. */
export interface Priced {
  readonly rate: string;
  readonly units: number | string;
}

/** The sum of rates times units, floored once, at 24 decimals (rule K40). */
export function chargeOf(priced: readonly Priced[]): string {
  return short.sumOfProducts(priced) ?? exactChargeOf(priced);
}

function exactChargeOf(priced: readonly Priced[]): string {
  let sum = new Exact(0);
  for (const { rate, units } of priced) sum = sum.plus(exact(rate).times(countOf(units)));
  return write(sum.toDecimalPlaces(CHARGE_DECIMALS, Decimal.ROUND_FLOOR));
}

function countOf(units: number | string): number | Decimal {
  if (typeof units === 'string' ? !INPUT.test(units) : !Number.isSafeInteger(units) || units < 0) {
    throw new RangeError(`not a count of units: ${units}`);
  }
  return typeof units === 'string' ? new Exact(units) : units;
}

export function isNegative(amount: string): boolean {
  return amount.startsWith('-');
}

export function isZero(amount: string): boolean {
  return exact(amount).isZero();
}

/** The amount as the text of a JSON number: `0.1`, `-3`, without exponent or superfluous leading zeros. */
export function toJsonNumberText(amount: string): string {
  return short.rewritten(amount) ?? write(exact(amount));
}

function exact(text: string): Decimal {
  if (!AT_REST.test(text)) throw new RangeError(`not an amount at rest: ${JSON.stringify(text).slice(0, 80)}`);
  return new Exact(text);
}

function write(amount: Decimal): string {
  return amount.toFixed();
}
