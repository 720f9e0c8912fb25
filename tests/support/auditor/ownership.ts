import { amount } from './amount.ts';
import { type Check, Checking } from './check.ts';
import { type Joined, nonceOf } from './joined.ts';
import { isOurLoss } from './our-loss.ts';

/**
 * Epochs and versions never decrease, an epoch has one owner, and a transition log lacks no committed transition.
 * Only a refused commit leaves a gap, because its versions may have been published already.
 */
export function oneWriter({ evidence }: Joined): Check {
  const check = new Checking('rule N1', 'one effective writer per actor');
  const epochs = new Map<number, number>();
  const owners = new Map<string, string | null>();
  const versions = new Map<string, number>();
  for (const sample of evidence.samples) {
    for (const { shard, owner, epoch } of sample.shards) {
      const before = epochs.get(shard) ?? 0;
      check.expect(epoch >= before, () => `shard ${shard}: epoch ${before}, then ${epoch}`);
      epochs.set(shard, epoch);
      const name = `${shard}@${epoch}`;
      const known = owners.get(name);
      check.expect(
        known === undefined || known === owner,
        () => `shard ${shard} epoch ${epoch}: owners ${known} and ${owner}`,
      );
      owners.set(name, owner);
    }
    for (const { address, version } of sample.versions) {
      const before = versions.get(address) ?? 0;
      check.expect(version >= before, () => `${address}: version ${before}, then ${version}`);
      versions.set(address, version);
    }
  }
  for (const { address, version, transitionLog } of evidence.ledger.actors) {
    const mayGap = (evidence.refusedCommits ?? 0) > 0;
    const follows = (each: number, before: number): boolean => each === before + 1 || (mayGap && each > before);
    const gapless = transitionLog.every((each, at) => at === 0 || follows(each, transitionLog[at - 1] ?? 0));
    check.expect(gapless, () => `${address}: transition log ${transitionLog.join(' ')}`);
    check.expect(
      transitionLog.length === 0 || transitionLog.at(-1) === version,
      () => `${address}: version ${version}, transition log ends at ${transitionLog.at(-1)}`,
    );
    check.expect(
      version >= (versions.get(address) ?? 0),
      () => `${address}: version ${version} at the end, ${versions.get(address)} before`,
    );
  }
  return check.done();
}

/**
 * The store holds everything acknowledged: every answered request is settled, every deposit is in the ledger. Only
 * an answer without a cost may be lost with its gateway.
 */
export function nothingAcknowledgedIsLost(joined: Joined): Check {
  const check = new Checking('rule N4', 'nothing acknowledged is lost');
  for (const { invoke, outcome } of joined.operations) {
    if (outcome?.type !== 'ok') continue;
    const row = joined.rowById.get(outcome.generation);
    const ours = outcome.cost === null && isOurLoss(joined, row);
    check.expect(
      row?.status === 'settled' || ours,
      () => `${invoke.nonce} ${outcome.generation}: acknowledged, row ${row?.status ?? 'absent'}`,
    );
    check.expect(
      row === undefined || nonceOf(row) === invoke.nonce,
      () => `${outcome.generation}: row of ${row && nonceOf(row)}, not ${invoke.nonce}`,
    );
  }
  const lines = joined.evidence.ledger.entries.filter((line) => line.type === 'deposit');
  for (const account of new Set(joined.evidence.deposits.map((deposit) => deposit.account))) {
    const acknowledged = sum(
      joined.evidence.deposits.filter((deposit) => deposit.account === account).map((each) => each.amount),
    );
    const kept = sum(lines.filter((line) => line.account === account).map((line) => line.amount));
    check.expect(kept >= acknowledged, () => `${account}: ${acknowledged} acknowledged, ledger has ${kept}`);
  }
  return check.done();
}

/** One end per stream, no chunk missing, doubled or from another call. */
export function streamsAreWhole(joined: Joined): Check {
  const check = new Checking('rule I59', 'streams end once and repeat nothing');
  for (const { invoke, outcome } of joined.operations) {
    for (const breach of outcome?.breaches ?? []) check.expect(false, () => `${invoke.nonce}: ${breach}`);
    if (outcome?.type === 'ok') {
      check.expect(outcome.textIntact, () => `${invoke.nonce} ${outcome.generation}: chunks missing or repeated`);
      check.expect(outcome.endings === 1, () => `${invoke.nonce} ${outcome.generation}: ${outcome.endings} endings`);
    } else if (outcome?.type === 'fail' && outcome.delivered) {
      check.expect(outcome.endings === 1, () => `${invoke.nonce}: broken stream with ${outcome.endings} endings`);
    }
  }
  return check.done();
}

function sum(amounts: readonly string[]): bigint {
  return amounts.reduce((total, each) => total + amount(each), 0n);
}
