import { type Check, Checking } from './check.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/** Messages between actors arrive once, in the order of sending, and never create or lose money. */
export function transfersArriveOnce(evidence: RuntimeEvidence): Check {
  const { transfers, received, wallets, walletFilled } = evidence;
  const check = new Checking('rule N8', 'messages between shards arrive once, in order');
  const arrived = new Map(received.map((receipt) => [receipt.transfer, receipt]));
  const requested = new Map(transfers.map((transfer) => [transfer.transfer, transfer]));
  for (const { transfer, from, to, outcome } of transfers) {
    const receipt = arrived.get(transfer);
    check.expect(
      outcome !== 'ok' || receipt !== undefined,
      () => `${transfer} ${from} to ${to}: sent, but never received`,
    );
    check.expect(
      outcome !== 'fail' || receipt === undefined,
      () => `${transfer} ${from} to ${to}: not sent, but received`,
    );
  }
  for (const { transfer, from, to, amount, times } of received) {
    const known = requested.get(transfer);
    const same = known?.from === from && known.to === to && known.amount === amount;
    check.expect(times === 1, () => `${transfer} ${from} to ${to}: arrived ${times} times`);
    check.expect(same, () => `${transfer} ${from} to ${to}: no such transfer of ${amount} was sent`);
  }
  const newest = new Map<string, number>();
  for (const { from, to, number, transfer } of [...received].sort((a, b) => a.order - b.order)) {
    const before = newest.get(`${from} ${to}`) ?? 0;
    check.expect(number > before, () => `${transfer} ${from} to ${to}: number ${number} after ${before}`);
    newest.set(`${from} ${to}`, number);
  }
  const sum = wallets.reduce((total, wallet) => total + wallet.amount, 0);
  check.expect(sum === wallets.length * walletFilled, () => `wallets hold ${sum} of ${wallets.length * walletFilled}`);
  return check.done();
}
