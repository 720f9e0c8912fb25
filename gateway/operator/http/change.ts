/**
 * Changes over the operator port: each has a reason, tells with `dryRun` what it would do and which command does the
 * same, and is in the audit log before it begins or in its own commit.
 */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { recordOperatorChange } from '../../../actors/audit/audit.ts';
import type { AuditRecord } from '../../../actors/terms/audit.ts';
import type { OperatorRequest, OperatorRoute, ParamsOf } from './operator-route.ts';

const REASON_CHARACTERS_MAX = 500;
const AUDIT_MS = 4_000;

/** Members that every change takes. */
const CHANGE_MEMBERS = {
  reason: Type.String({
    minLength: 1,
    maxLength: REASON_CHARACTERS_MAX,
    pattern: '\\S',
    description: 'why, for the audit log',
  }),
  dryRun: Type.Optional(Type.Boolean({ description: 'true: answers what it would do, and changes nothing' })),
};

const DRY_RUN = Type.Object({
  would: Type.String({ description: 'what the change would do' }),
  command: Type.String({ description: 'the command that does the same' }),
});

/** What a change is about to do. Making a plan changes nothing. */
export interface ChangePlan {
  /** In words, without a subject: `pause provider:alpha: no new call goes there`. */
  readonly would: string;
  /** The command that does the same: `troupe providers pause alpha --reason "..."`. */
  readonly command: string;
  /** The entry of the operator's audit log, which gets the reason; null where the actor records it in its own commit. */
  readonly audit: Pick<AuditRecord, 'action' | 'target' | 'detail'> | null;
  /** Does it. `did` tells so in words, without a subject. */
  readonly run: () => Promise<{ readonly did: string }>;
}

interface ChangeParts<Path extends string, Members extends TProperties> {
  readonly path: Path;
  readonly summary: string;
  /** Of the body, beside the reason. */
  readonly members?: Members;
  /** Beside `did`. */
  readonly answers?: TProperties;
  readonly plan: (request: RequestOf<Path, Members>) => ChangePlan | Promise<ChangePlan>;
}

type RequestOf<Path extends string, Members extends TProperties> = OperatorRequest<
  ParamsOf<Path>,
  unknown,
  Static<TObject<Members>> & ChangeRequest['body']
>;

/** What every change is asked with. */
export type ChangeRequest = Pick<
  OperatorRequest<unknown, unknown, Static<TObject<typeof CHANGE_MEMBERS>>>,
  'cluster' | 'principal' | 'body'
>;

/** The route of a change: `POST`, for operators. */
export function change<const Path extends string, Members extends TProperties>(
  parts: ChangeParts<Path, Members>,
): OperatorRoute {
  const { path, summary, members, answers = {}, plan } = parts;
  const did = Type.Object({ did: Type.String({ description: 'what the change did' }), ...answers });
  return {
    method: 'POST',
    path,
    policy: 'operator',
    summary,
    body: Type.Object({ ...members, ...CHANGE_MEMBERS }),
    answers: Type.Union([did, DRY_RUN]),
    answer: async (given) => {
      const request = given as unknown as RequestOf<Path, Members>;
      return carryOut(await plan(request), request);
    },
  };
}

async function carryOut(
  { would, command, audit, run }: ChangePlan,
  { cluster, principal, body: { reason, dryRun: isDry = false } }: ChangeRequest,
): Promise<object> {
  if (isDry) return { would, command };
  if (audit !== null) {
    const { detail, ...entry } = audit;
    await recordOperatorChange(cluster, { ...entry, by: principal, detail: { ...detail, reason } }, AUDIT_MS);
  }
  return run();
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
