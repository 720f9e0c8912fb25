import { type Check, Checking } from './check.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/** At the store: an epoch has one owner, owners change only with a higher epoch, only the owner's writes commit. */
export function oneWriterPerEpoch({ commits, moves }: RuntimeEvidence): Check {
  const check = new Checking('rule N2', 'one effective writer per epoch');
  const owners = new Map<string, string | null>();
  const epochs = new Map<number, number>();
  for (const { shard, owner, epoch, from, at } of moves) {
    const name = `shard ${shard} epoch ${epoch}`;
    check.expect(epoch > from, () => `${name} at ${at}: taken without a higher epoch (it had ${from})`);
    check.expect(
      epoch > (epochs.get(shard) ?? 0),
      () => `${name} at ${at}: epoch ${epochs.get(shard)} was seen before`,
    );
    epochs.set(shard, Math.max(epoch, epochs.get(shard) ?? 0));
    const known = owners.get(name) ?? owner;
    check.expect(known === owner, () => `${name} at ${at}: owned by ${known} and by ${owner}`);
    owners.set(name, owner);
  }
  for (const { at, node, shard, owner, epoch, heldBy, heldEpoch, committed } of commits) {
    if (!committed) continue;
    check.expect(
      owner === heldBy && epoch === heldEpoch,
      () => `shard ${shard} at ${at}: ${node} wrote as ${owner}@${epoch}, owned by ${heldBy}@${heldEpoch}`,
    );
  }
  return check.done();
}

/** Per actor: versions are consecutive; a commit verdict is correct, independent of other shards. */
export function versionsFollow({ commits, transitionLogs }: RuntimeEvidence): Check {
  const check = new Checking('rule N3', 'versions are consecutive, verdicts are correct');
  for (const { at, node, committed, actors } of commits) {
    for (const { address, expected, written, before, after } of actors) {
      if (committed) {
        check.expect(
          before === expected && after === written,
          () =>
            `${address} at ${at}: ${node} wrote ${written} over ${expected}, stored ${before} before and ${after} after`,
        );
      } else {
        check.expect(before === after, () => `${address} at ${at}: refused, but ${before} became ${after}`);
      }
    }
  }
  for (const { address, versions } of transitionLogs) {
    const first = versions[0] ?? Number.POSITIVE_INFINITY;
    const known = new Set(versions);
    for (const { committed, actors } of commits) {
      for (const { address: other, written } of actors) {
        if (!committed || other !== address || written < first) continue;
        check.expect(
          known.has(written),
          () => `${address}: version ${written} was committed, but its transition log lacks it`,
        );
      }
    }
  }
  return check.done();
}
