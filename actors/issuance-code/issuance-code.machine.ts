/**
 * The one-time code of a browser approval as a chart: issued once, read once. Whoever reads it consumes it, also with a
 * wrong verifier; the key of a right one is created in the commit that consumes the code. Its row exists only while it
 * can be read. (rule K23)
 */
import { assign, setup } from 'xstate';
import { type Effect, emit, ownerOf, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { only, plain } from '../terms/chart-tools.ts';
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
  /** What a management key may state beside it; absent: the callback's host, for its whole life, never, the default. */
  readonly name?: string;
  readonly limitWindow?: 'daily' | 'weekly' | 'monthly';
  /** Store time, ms. */
  readonly expiresAt?: number;
  /** Id of the key's workspace. */
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
  /** The session, or the management key, of who approved. */
  readonly by: Principal | null;
  readonly digest: string;
  /** Natural id of the trade that read the code. */
  readonly trade: string | null;
}

/** The actor's address is the natural id. */
export type CodeIssue = Stamped & {
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

export type CodeTrade = Stamped & {
  readonly type: 'code.trade';
  readonly trade: string;
  /** S256 challenge of the verifier that was sent. */
  readonly challenge: string;
  readonly issued: IssuedKey;
};

export type IssuanceCodeEvent = CodeIssue | CodeTrade | (Stamped & { readonly type: 'code.expire' });

const EXPIRE = 'code.expire';

export const ISSUANCE_CODE = 'issuance-code';

export const issuanceCodeMachine = setup({
  types: {} as { context: IssuanceCodeState; events: IssuanceCodeEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.record === null,
    isOver: ({ context, event }) => event.at >= recordOf(context).expiresAt,
    isRight: ({ context, event }) => isSameText(approvalOf(context).challenge, only(event, 'code.trade').challenge),
    isRepeat: ({ context, event }) => context.trade === only(event, 'code.trade').trade,
  },
  actions: {
    keep: assign(({ context, event }) => issued(context, only(event, 'code.issue'))),
    put: emit<IssuanceCodeState, IssuanceCodeEvent>(({ context, event }) => put(context, only(event, 'code.issue'))),
    answerIssued: emit<IssuanceCodeState, IssuanceCodeEvent>(({ context }) =>
      reply({ approval: approvalOf(context), expiresAt: recordOf(context).expiresAt }),
    ),
    keepTrade: assign({ trade: ({ event }) => only(event, 'code.trade').trade }),
    removeRow: emit<IssuanceCodeState, IssuanceCodeEvent>(({ context }) => removeRow(context)),
    createKey: emit<IssuanceCodeState, IssuanceCodeEvent>(({ context, event }) =>
      createKey(context, only(event, 'code.trade')),
    ),
    recordWrong: emit<IssuanceCodeState, IssuanceCodeEvent>(({ context }) => recordWrong(context)),
    answerRefused: emit<IssuanceCodeState, IssuanceCodeEvent>(() => reply({ granted: false })),
    forget: emit<IssuanceCodeState, IssuanceCodeEvent>(({ context }) => [removeRow(context), { type: 'stop' }]),
  },
}).createMachine({
  id: ISSUANCE_CODE,
  initial: 'issued',
  context: ({ input }) => ({
    ...{ address: input.address, record: null, approval: null },
    ...{ by: null, digest: '', trade: null },
  }),
  options: { maxIterations: 1000 },
  states: {
    issued: {
      on: {
        'code.trade': [
          { guard: 'isOver', actions: 'answerRefused' },
          { guard: 'isRight', target: 'traded', actions: ['keepTrade', 'removeRow', 'createKey'] },
          { target: 'spoiled', actions: ['keepTrade', 'removeRow', 'recordWrong', 'answerRefused'] },
        ],
      },
    },
    /** A repeat of the trade that was served creates nothing: the key answers that it exists. */
    traded: { on: { 'code.trade': [{ guard: 'isRepeat', actions: 'createKey' }, { actions: 'answerRefused' }] } },
    spoiled: { on: { 'code.trade': { actions: 'answerRefused' } } },
  },
  on: {
    'code.issue': [{ guard: 'isNew', actions: ['keep', 'put', 'answerIssued'] }, { actions: 'answerIssued' }],
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

function put(state: IssuanceCodeState, { by }: CodeIssue): readonly Effect[] {
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

/** Somebody who has the code has not its verifier: the owner should know. */
function recordWrong(state: IssuanceCodeState): Effect {
  const { code: target } = recordOf(state);
  const { origin } = approvalOf(state);
  const by = { kind: 'system', id: 'auth' } as const;
  return recordAudit(target, { action: 'grant.trade', target, by, detail: { origin }, result: 'refused' });
}

function reply(body: object): Effect {
  return { type: 'reply', body: plain(body) };
}
