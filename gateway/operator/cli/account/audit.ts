/** `troupe audit`: who changed what in an account, newest first, and whether the log is complete and unchanged. */
import type { AuditVerdict } from '../../../../actors/audit/audit-entry.ts';
import { OPERATOR_LOG } from '../../../../actors/terms/audit.ts';
import type { ShownAuditEntry } from '../../api/audit.ts';
import { command } from '../frame/asking.ts';
import { count, owner } from '../frame/names.ts';
import { table, timeOf } from '../frame/print.ts';

const SHOWN_USUALLY = 20;
const SHOWN_MAX = 1_000;
/** A whole log is read. */
const VERIFY_MS_MAX = 300_000;

export const commands = [
  command('audit', 'show who changed what: keys, workspaces, deposits, suspensions', {
    arguments: { '[account]': owner('the account id (default: changes by operators, with their reasons)') },
    options: {
      '--limit <count>': count(
        `how many, newest first (default: ${SHOWN_USUALLY}, at most ${SHOWN_MAX})`,
        'number of entries',
      ),
      '--verify': 'check that no entry of the whole log was removed or changed; exit code 1 if one was',
    },
    ask: async ({ account, limit = SHOWN_USUALLY, verify }, api) => {
      const log = account ?? OPERATOR_LOG;
      const shown = Math.min(limit, SHOWN_MAX);
      if (!verify) return api.listOf<ShownAuditEntry>('/api/audit', log, shown);
      const verdict = await api.get<AuditVerdict>('/api/audit/verify', { account: log }, VERIFY_MS_MAX);
      if (!verdict.sound) process.exitCode = 1;
      return verdict;
    },
    print: (found) =>
      'sound' in found
        ? sentence(found)
        : table(['AT', 'ACTION', 'TARGET', 'BY', 'RESULT', 'REASON', 'DETAIL'], found.map(cells)),
  }),
];

function cells({ at, action, target, principal, result, reason, detail }: ShownAuditEntry) {
  return [timeOf(at), action, target, principal, result, reason ?? '-', detail];
}

function sentence(verdict: AuditVerdict): string {
  if (verdict.sound) {
    const removed = verdict.removed === 0 ? '' : `, the first ${verdict.removed} of them removed after their retention`;
    return `${verdict.entries} entries${removed}: complete and unchanged`;
  }
  return `entry ${verdict.sequence} is not as it was written: ${verdict.reason}`;
}
