/** `troupe audit`: who changed what in an account, newest first, and whether the log is complete and unchanged. */
import type { Command } from 'commander';
import { listAudit, verifyAudit } from '../../../../actors/audit/audit.ts';
import type { AuditEntry, AuditVerdict } from '../../../../actors/audit/audit-entry.ts';
import { OPERATOR_LOG } from '../../../../actors/terms/audit.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, countFrom } from '../frame/names.ts';
import { print, table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount, type Session, withSession } from '../frame/session.ts';

const SHOWN_USUALLY = 20;
const SHOWN_MAX = 1_000;

interface AuditOptions extends GlobalOptions {
  readonly limit?: string;
  readonly verify?: boolean;
}

export function addAudit(program: Command): void {
  program
    .command('audit')
    .argument('[account]', 'the account id (default: changes that concern no account)')
    .option('--limit <count>', `how many, newest first (default: ${SHOWN_USUALLY}, at most ${SHOWN_MAX})`)
    .option('--verify', 'check that no entry of the whole log was removed or changed; exit code 1 if one was')
    .description('show who changed what: keys, workspaces, deposits, suspensions')
    .action(async (account: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AuditOptions>();
      const owner = account === undefined ? OPERATOR_LOG : accountFrom(account).slice('account:'.length);
      await withSession(options, async (session) => {
        if (account !== undefined) await requireAccount(session, accountFrom(account));
        await (options.verify ? verify : show)(session, owner, options);
      });
    });
}

async function show({ operator }: Session, owner: string, options: AuditOptions): Promise<void> {
  const wanted = options.limit === undefined ? SHOWN_USUALLY : countFrom(options.limit, 'number of entries');
  const entries = await listAudit(operator, owner, { limit: Math.min(wanted, SHOWN_MAX), before: null });
  print(options, entries, () =>
    table(['ENTRY', 'AT', 'ACTION', 'TARGET', 'BY', 'RESULT', 'DETAIL'], entries.map(cells)),
  );
}

/** JSON texts of names: a name of a stranger can neither break a line nor steer the terminal. */
function cells({ sequence, at, action, target, by, result, detail }: AuditEntry): readonly string[] {
  const who = `${by.kind} ${by.id}${by.address === undefined ? '' : ` from ${by.address}`}`;
  return [
    String(sequence),
    timeOf(at) ?? '',
    escaped(action),
    escaped(target),
    escaped(who),
    result,
    visible(JSON.stringify(detail)),
  ];
}

function escaped(text: string): string {
  return visible(JSON.stringify(text).slice(1, -1));
}

/** JSON leaves these control characters as they are. */
function visible(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function verify({ operator, cluster }: Session, owner: string, options: AuditOptions): Promise<void> {
  const verdict = await verifyAudit(owner, { reader: operator, cluster, withinMs: ASK_MS });
  print(options, verdict, () => sentence(verdict));
  if (!verdict.sound) process.exitCode = 1;
}

function sentence(verdict: AuditVerdict): string {
  if (verdict.sound) return `${verdict.entries} entries: complete and unchanged`;
  return `entry ${verdict.sequence} is not as it was written: ${verdict.reason}`;
}
