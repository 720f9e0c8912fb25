/** `troupe audit`: who changed what in an account, newest first, and whether the log is complete and unchanged. */
import { listAudit, verifyAudit } from '../../../../actors/audit/audit.ts';
import type { AuditEntry, AuditVerdict } from '../../../../actors/audit/audit-entry.ts';
import { OPERATOR_LOG } from '../../../../actors/terms/audit.ts';
import { command } from '../frame/asking.ts';
import { count, owner } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount } from '../frame/session.ts';

const SHOWN_USUALLY = 20;
const SHOWN_MAX = 1_000;

export const commands = [
  command('audit', 'show who changed what: keys, workspaces, deposits, suspensions', {
    arguments: { '[account]': owner('the account id (default: changes that concern no account)') },
    options: {
      '--limit <count>': count(
        `how many, newest first (default: ${SHOWN_USUALLY}, at most ${SHOWN_MAX})`,
        'number of entries',
      ),
      '--verify': 'check that no entry of the whole log was removed or changed; exit code 1 if one was',
    },
    ask: async ({ account, limit = SHOWN_USUALLY, verify }, session) => {
      const { operator: reader, cluster } = session;
      if (account !== undefined) await requireAccount(session, account.address);
      const log = account?.account ?? OPERATOR_LOG;
      if (!verify) return listAudit(reader, log, { limit: Math.min(limit, SHOWN_MAX), before: null });
      const verdict = await verifyAudit(log, { reader, cluster, withinMs: ASK_MS });
      if (!verdict.sound) process.exitCode = 1;
      return verdict;
    },
    print: (found) =>
      'sound' in found
        ? sentence(found)
        : table(['ENTRY', 'AT', 'ACTION', 'TARGET', 'BY', 'RESULT', 'DETAIL'], found.map(cells)),
  }),
];

function cells({ sequence, at, action, target, by, result, detail }: AuditEntry): readonly (string | number | null)[] {
  const who = `${by.kind} ${by.id}${by.address === undefined ? '' : ` from ${by.address}`}`;
  return [sequence, timeOf(at), action, target, who, result, JSON.stringify(detail)];
}

function sentence(verdict: AuditVerdict): string {
  if (verdict.sound) {
    const removed = verdict.removed === 0 ? '' : `, the first ${verdict.removed} of them removed after their retention`;
    return `${verdict.entries} entries${removed}: complete and unchanged`;
  }
  return `entry ${verdict.sequence} is not as it was written: ${verdict.reason}`;
}
