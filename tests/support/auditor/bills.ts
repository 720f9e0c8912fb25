import { type Check, Checking } from './check.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/**
 * A bill is booked as paid if and only if its fund paid it, once. An accepted bill has ended or is one dead letter; a
 * refused bill leaves nothing behind.
 */
export function billsAreWhole({ bills, billsStored, funds, deadLetters }: RuntimeEvidence): Check {
  const check = new Checking('rule N13', 'a refused step leaves nothing, an unhandled input becomes a dead letter');
  const stored = new Map(billsStored.map((bill) => [bill.bill, bill]));
  const payments = new Map(
    funds.flatMap(({ payments: each }) => each.map((payment) => [payment.bill, payment] as const)),
  );
  const letters = new Map<string, number>();
  for (const { bill } of deadLetters) letters.set(bill, (letters.get(bill) ?? 0) + 1);
  for (const { address, amount, filled, payments: paid } of funds) {
    const sum = paid.reduce((total, payment) => total + payment.amount * payment.times, 0);
    check.expect(amount + sum === filled, () => `${address}: ${amount} left, ${sum} paid of ${filled}`);
    for (const { bill, times } of paid) {
      check.expect(times === 1, () => `${bill}: paid ${times} times by ${address}`);
      check.expect(
        stored.get(bill)?.state === 'paid',
        () => `${bill}: paid by ${address}, booked ${stored.get(bill)?.state}`,
      );
    }
  }
  for (const { bill, biller, state, times } of billsStored) {
    check.expect(
      (state === 'paid') === payments.has(bill),
      () => `${bill}: booked ${state} by ${biller}, paid ${payments.has(bill)}`,
    );
    const [ends, waits] = state === 'waiting' ? [0, 1] : [1, 0];
    check.expect(times === ends, () => `${bill}: ${state} by ${biller}, ended ${times} times`);
    check.expect((letters.get(bill) ?? 0) === waits, () => `${bill}: ${state}, ${letters.get(bill) ?? 0} dead letters`);
  }
  for (const { bill, way, biller, outcome } of bills) {
    const [known, waits] = [stored.get(bill), letters.get(bill) ?? 0];
    const nothing = known === undefined && waits === 0 && !payments.has(bill);
    check.expect(outcome !== 'fail' || nothing, () => `${bill} (${way}): refused, but stored`);
    if (outcome === 'ok') check.expect(known !== undefined || waits === 1, () => `${bill} (${way}) to ${biller}: lost`);
  }
  return check.done();
}
