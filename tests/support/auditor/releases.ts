import { type Check, Checking } from './check.ts';
import type { Joined } from './joined.ts';

/** A hold ends only by a settle or release of its own attempt, by the death of its gateway, or at its deadline. */
export function holdsEndForCause({ evidence }: Joined): Check {
  const check = new Checking('rule K56', 'a hold ends for a cause');
  for (const { row } of evidence.ledger.generations) {
    const { settlement, release, generation, gateway } = row;
    if (settlement !== null) {
      check.expect(
        settlement.attempt === row.attempt,
        () => `${generation}: attempt ${row.attempt} holds, attempt ${settlement.attempt} charged`,
      );
    }
    if (release === null) continue;
    if (/was lost/.test(release.reason)) {
      check.expect(
        evidence.ended?.has(gateway ?? '') ?? false,
        () => `${generation}: released for the loss of ${gateway}, which is alive`,
      );
    } else if (/deadline/.test(release.reason)) {
      check.expect(
        row.late || row.deadlineAt <= (row.endedAt ?? 0),
        () => `${generation}: released at ${row.endedAt}, due at ${row.deadlineAt}`,
      );
    } else {
      check.expect(
        release.attempt >= row.attempt,
        () => `${generation}: attempt ${release.attempt} released the hold of attempt ${row.attempt}`,
      );
    }
  }
  for (const { generation, at, stored } of evidence.releases ?? []) {
    check.expect(
      stored !== 'running',
      () => `${generation}: its release was acknowledged at ${at}, but it is still running`,
    );
  }
  return check.done();
}
