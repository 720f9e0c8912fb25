/**
 * The one-time code of a browser approval as a chart: issued once, traded once. Every trade consumes it, also one with a
 * wrong verifier; the key for a right verifier is created in the commit that consumes the code. Its row exists only while it
 * can be read. (rule K23)
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import { isSameText } from '../terms/one-time.ts';
import type { Principal } from '../terms/principal.ts';

/** What a person approved. */
export interface Approval {
  /** S256 challenge of the application's verifier, base64url. */
  readonly challenge: string;
  /** Origin of the callback: the key is listed under it. */
  readonly origin: string;
  /** Exact decimal USD: the key's limit; null is none. */
  readonly limit: string | null;
  /** Name of the key; absent: the callback's host. This and the next three only a management key can state. */
  readonly name?: string;
  /** Window of the limit; absent: the limit covers the key's whole life. */
  readonly limitWindow?: 'daily' | 'weekly' | 'monthly';
  /** Store time of the key's expiry, ms; absent: never. */
  readonly expiresAt?: number;
  /** Id of the key's workspace; absent: the account's default one. */
  readonly workspace?: string;
}

/** The row of a code that can be read; its id is the code's digest. */
export interface IssuanceCodeRecord {
  readonly code: string;
  readonly account: string;
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface IssuanceCodeState {
  readonly address: string;
  /** Null only during the step that issues the code. */
  readonly record: IssuanceCodeRecord | null;
  readonly approval: Approval | null;
  /** The principal that approved: a session or a management key. */
  readonly by: Principal | null;
  readonly digest: string;
  /** Natural id of the trade that read the code. */
  readonly trade: string | null;
}

/** The actor's address is the natural id. */
type CodeIssue = Stamped & {
  readonly type: 'code.issue';
  readonly digest: string;
  readonly approval: Approval;
  readonly lifetimeMs: number;
  readonly by: Principal;
};

/** The key that a right trade creates. */
export interface IssuedKey {
  /** Address of the new key. */
  readonly key: string;
  readonly digest: string;
  readonly label: string;
  /** Public handle (`terms/ids`: keyHandle). */
  readonly handle: string;
}

type CodeTrade = Stamped & {
  readonly type: 'code.trade';
  readonly trade: string;
  /** S256 challenge of the verifier that was sent. */
  readonly challenge: string;
  readonly issued: IssuedKey;
};

type IssuanceCodeEvent = CodeIssue | CodeTrade | (Stamped & { readonly type: 'code.expire' });

const EXPIRE = 'code.expire';

export const ISSUANCE_CODE = 'issuance-code';

export const issuanceCodeMachine = setup({
  types: {} as { context: IssuanceCodeState; events: IssuanceCodeEvent; input: { address: string } },
  guards: {
    isNew: guardOn('*', ({ record }: IssuanceCodeState) => record === null),
    hasExpired: guardOn('*', (state: IssuanceCodeState, { at }) => at >= recordOf(state).expiresAt),
    isRightVerifier: guardOn('code.trade', (state: IssuanceCodeState, { challenge }: CodeTrade) =>
      isSameText(approvalOf(state).challenge, challenge),
    ),
    isRepeat: guardOn('code.trade', (state: IssuanceCodeState, { trade }: CodeTrade) => state.trade === trade),
  },
  actions: {
    keepCode: assignOn('code.issue', issued),
    putCode: emitOn('code.issue', putCode),
    answerIssued: emitOn('*', (state: IssuanceCodeState) =>
      reply({ approval: approvalOf(state), expiresAt: recordOf(state).expiresAt }),
    ),
    keepTrade: assignOn('code.trade', (_: IssuanceCodeState, { trade }: CodeTrade) => ({ trade })),
    removeRow: emitOn('*', removeRow),
    createKey: emitOn('code.trade', createKey),
    recordWrongVerifier: emitOn('*', recordWrongVerifier),
    answerRefused: emitOn('*', () => reply({ granted: false })),
    forget: emitOn('*', (state: IssuanceCodeState) => [removeRow(state), { type: 'stop' }]),
  },
}).createMachine({
  id: ISSUANCE_CODE,
  initial: 'issued',
  context: ({ input }) => ({
    address: input.address,
    record: null,
    approval: null,
    by: null,
    digest: '',
    trade: null,
  }),
  options: { maxIterations: 1000 },
  states: {
    issued: {
      on: {
        'code.trade': [
          { guard: 'hasExpired', actions: 'answerRefused' },
          { guard: 'isRightVerifier', target: 'traded', actions: ['keepTrade', 'removeRow', 'createKey'] },
          { target: 'spoiled', actions: ['keepTrade', 'removeRow', 'recordWrongVerifier', 'answerRefused'] },
        ],
      },
    },
    /** A repeat of the trade that was served creates nothing: the key answers that it exists. */
    traded: { on: { 'code.trade': [{ guard: 'isRepeat', actions: 'createKey' }, { actions: 'answerRefused' }] } },
    spoiled: { on: { 'code.trade': { actions: 'answerRefused' } } },
  },
  on: {
    'code.issue': [{ guard: 'isNew', actions: ['keepCode', 'putCode', 'answerIssued'] }, { actions: 'answerIssued' }],
    'code.expire': { actions: 'forget' },
  },
});

function recordOf({ record }: IssuanceCodeState): IssuanceCodeRecord {
  if (record === null) throw new Error('a code is used before it is issued');
  return record;
}

function approvalOf({ approval }: IssuanceCodeState): Approval {
  if (approval === null) throw new Error('a code is used before it is issued');
  return approval;
}

function issued(state: IssuanceCodeState, { digest, approval, lifetimeMs, by, at }: CodeIssue): IssuanceCodeState {
  const { address } = state;
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new RangeError('the digest of a code must be 64 lower case hex digits');
  const record = { code: address, account: ownerOf(address), createdAt: at, expiresAt: at + lifetimeMs };
  return { ...state, digest, approval, by, record };
}

function putCode(state: IssuanceCodeState, { by }: CodeIssue): readonly Effect[] {
  const { code: target, expiresAt } = recordOf(state);
  const { origin, limit } = approvalOf(state);
  return [
    { type: 'put', collection: ISSUANCE_CODE, id: state.digest, body: plain(recordOf(state)) },
    { type: 'schedule', name: EXPIRE, at: expiresAt, event: { type: EXPIRE } },
    recordAudit(target, { action: 'grant.approve', target, by, detail: { origin, limit } }),
  ];
}

function removeRow({ digest }: IssuanceCodeState): Effect {
  return { type: 'remove', collection: ISSUANCE_CODE, id: digest };
}

/** The key answers, through its account. */
function createKey(state: IssuanceCodeState, { issued: { key, digest, label, handle } }: CodeTrade): Effect {
  const {
    origin,
    limit,
    name = new URL(origin).host,
    limitWindow = null,
    expiresAt = null,
    workspace,
  } = approvalOf(state);
  const made = { kind: 'inference', name, limit, limitWindow, expiresAt, perMinute: null, origin } as const;
  const placed = workspace === undefined ? {} : { workspace };
  const event = { type: 'key.create', digest, label, handle, ...made, ...placed, by: plain(state.by ?? {}) };
  return { type: 'send', to: key, event };
}

/** A code was presented with a wrong verifier: recorded in the owner's audit log. */
function recordWrongVerifier(state: IssuanceCodeState): Effect {
  const { code: target } = recordOf(state);
  const { origin } = approvalOf(state);
  const by = { kind: 'system', id: 'auth' } as const;
  return recordAudit(target, { action: 'grant.trade', target, by, detail: { origin }, result: 'refused' });
}
