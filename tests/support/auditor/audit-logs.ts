import { AuditVerifier } from '../../../actors/audit/audit-entry.ts';
import { type Check, Checking } from './check.ts';
import type { KeyChange, KeyEvidence } from './key-evidence.ts';

/** The log's word for a change. */
const ACTIONS: Readonly<Record<KeyChange['what'], readonly string[]>> = {
  create: ['key.create'],
  limit: ['key.edit'],
  disable: ['key.disable'],
  enable: ['key.enable'],
  // It dies by its time.
  expire: [],
  move: ['key.move'],
  revoke: ['key.revoke'],
};

/** Every log is gap-free and chained to its newest entry; each acknowledged change of a key has an entry. */
export function auditLogsAreWhole({ logs, changes, credentials }: KeyEvidence): Check {
  const check = new Checking('rule K20', 'audit logs gap-free and hash-chained, with an entry for each change');
  const handles = new Map(credentials.map(({ key, handle }) => [key, handle ?? '']));
  const written = new Map<string, number>();
  for (const { account, entries, opening, head } of logs) {
    const verifier = new AuditVerifier(account, opening);
    verifier.add(entries);
    const verdict = verifier.end(head);
    check.expect(verdict.sound, () => `${account}: ${JSON.stringify(verdict)}`);
    for (const { action, target, result } of entries) {
      const hash = handles.get(target);
      if (hash === undefined || result !== 'done') continue;
      const name = `${hash} ${action}`;
      written.set(name, (written.get(name) ?? 0) + 1);
    }
  }
  const acknowledged = new Map<string, number>();
  for (const { hash, what, status } of changes) {
    if (status !== 200 && status !== 201) continue;
    for (const action of ACTIONS[what])
      acknowledged.set(`${hash} ${action}`, (acknowledged.get(`${hash} ${action}`) ?? 0) + 1);
  }
  for (const [name, count] of acknowledged) {
    const found = written.get(name) ?? 0;
    check.expect(found >= count, () => `${name}: ${count} acknowledged, ${found} entries`);
  }
  return check.done();
}
