import type { Generation } from '../../../actors/terms/hold.ts';
import { amount } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { CallSeen } from './evidence.ts';
import type { Joined } from './joined.ts';
import { isOurLoss } from './our-loss.ts';

/** What had not arrived when the gateway stopped to read on is estimated: the provider reported it afterwards. */
function isEstimatedBefore({ settlement, endedAt }: Generation, { endAt }: CallSeen, slackMs: number): boolean {
  return settlement?.estimated === true && endAt !== null && (endedAt ?? 0) < endAt + slackMs;
}

/**
 * A client that leaves in the middle of an answer pays once for the part that was generated, within its hold or
 * with recorded excess; by the provider's own count if the answer was read to its end.
 */
export function leaversAreAccounted(joined: Joined): Check {
  const check = new Checking('rule K71', 'a client that leaves mid-stream is charged');
  for (const { invoke, outcome } of joined.operations) {
    if (outcome?.type !== 'unknown' || !outcome.left) continue;
    const row = joined.rowByNonce.get(invoke.nonce);
    const name = `${invoke.nonce} ${row?.generation ?? outcome.generation}`;
    check.expect(
      row?.status === 'settled' || isOurLoss(joined, row),
      () => `${name}: left mid-stream, row ${row?.status ?? 'absent'} (${row?.release?.reason ?? 'no reason'})`,
    );
    if (row?.status !== 'settled' || row.settlement === null) continue;
    const { cost, promptTokens, completionTokens } = row.settlement;
    const lines = joined.chargesByGeneration.get(row.generation) ?? [];
    const charged = lines.reduce((sum, line) => sum + amount(line.amount), 0n);
    check.expect(
      charged === amount(cost) && charged <= amount(row.amount) + amount(row.overshoot ?? '0'),
      () =>
        `${name}: charged ${lines.map((line) => line.amount).join(', ') || 'nothing'} of ${cost}, held ${row.amount}`,
    );
    const slug = joined.evidence.slugs[row.provider] ?? row.provider;
    const calls = joined.callsByNonce.get(invoke.nonce) ?? [];
    const served = calls.findLast((call) => call.provider === slug && call.outcome === 'served');
    const usage = served?.usage;
    if (!served || !usage) continue;
    if (isEstimatedBefore(row, served, joined.evidence.clockSlackMs)) continue;
    check.expect(
      usage.prompt_tokens === promptTokens && usage.completion_tokens === completionTokens,
      () => `${name}: charged ${promptTokens}/${completionTokens}, provider reported ${JSON.stringify(usage)}`,
    );
  }
  return check.done();
}
