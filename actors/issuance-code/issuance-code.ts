/** The kind of one-time codes that become keys, and its client functions. */
import type { Cluster, Json, Kind, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import type { Principal } from '../terms/principal.ts';
import {
  type Approval,
  ISSUANCE_CODE,
  type IssuanceCodeRecord,
  type IssuanceCodeState,
  type IssuedKey,
  issuanceCodeMachine,
} from './issuance-code.machine.ts';

export const issuanceCodeKind: Kind = {
  name: ISSUANCE_CODE,
  machine: issuanceCodeMachine,
  version: 1,
  creates: ['code.issue'],
  finishes: ['code.trade'],
  volatile: [],
  collections: {
    [ISSUANCE_CODE]: {
      sort: (row: IssuanceCodeRecord) => row.createdAt,
      index: [(row: IssuanceCodeRecord) => row.account],
    },
  },
  explain,
  redact: (context: Json) => plain({ ...(context as unknown as IssuanceCodeState), digest: 'redacted' }),
};

interface NewCode {
  /** `terms/one-time`: secretDigest of the code. */
  readonly digest: string;
  readonly approval: Approval;
  readonly lifetimeMs: number;
  readonly by: Principal;
}

interface CodeIssued {
  /** As recorded: that of the first approval, if this is a repeat. */
  readonly approval: Approval;
  readonly expiresAt: number;
}

/** `code` is an address, the natural id: a repeated approval issues nothing more. */
export async function issueCode(cluster: Cluster, code: string, made: NewCode, withinMs: number): Promise<CodeIssued> {
  const event = { type: 'code.issue', ...made, approval: plain(made.approval), by: plain(made.by) };
  return ask<CodeIssued>(cluster, code, event, withinMs);
}

/** The code of a digest, while it can be read; null for any other. */
export async function findCode(
  cluster: Pick<Cluster, 'rows' | 'now'>,
  digest: string,
): Promise<IssuanceCodeRecord | null> {
  const row = await cluster.rows.rowById(ISSUANCE_CODE, digest);
  const record = row === null ? null : (JSON.parse(row.body) as IssuanceCodeRecord);
  return record === null || record.expiresAt <= cluster.now() ? null : record;
}

export interface Trade {
  /** Natural id: a repeat is answered as the first delivery. */
  readonly trade: string;
  /** S256 challenge of the verifier that was sent. */
  readonly challenge: string;
  readonly issued: IssuedKey;
}

/** Consumes the code. True: the key exists. False: the code was read before, has expired, or the verifier is wrong. */
export async function tradeCode(cluster: Cluster, code: string, trade: Trade, withinMs: number): Promise<boolean> {
  const event = { type: 'code.trade', ...trade, issued: plain(trade.issued) };
  return !('granted' in (await ask<object>(cluster, code, event, withinMs)));
}

function explain({ state, context, now }: View): readonly string[] {
  const { record, approval, trade } = context as unknown as IssuanceCodeState;
  if (record === null || approval === null) return ['The code is being issued.'];
  const limit = approval.limit === null ? 'no limit' : `a limit of ${approval.limit} USD`;
  const what = `A person approved a key with ${limit} for ${approval.origin}.`;
  if (state === 'traded') return ['The code was traded for a key.', what];
  if (state === 'spoiled') return [`The code was read with a wrong verifier by request ${trade}.`, what];
  const seconds = Math.max(0, Math.ceil((record.expiresAt - now) / 1_000));
  return [`The code can be traded for ${seconds} s more.`, what];
}
