/**
 * The versions of an account's signing secret: minted once, then rotated. The secret itself is derived from a version
 * outside the actors, so that neither store nor log contains it. (rule V42)
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain, reply } from '../terms/chart-tools.ts';

/** A secret is derived from its version and its account. */
export interface SecretVersion {
  readonly version: number;
  /** Store time, ms: a version minted again after a restore of the database derives another secret. */
  readonly mintedAt: number;
}

/** The row: what a node needs to sign. */
export interface SigningRecord {
  readonly current: SecretVersion;
  /** Signs together with the current one until `validUntil`; null without a rotation. */
  readonly previous: (SecretVersion & { readonly validUntil: number }) | null;
}

export interface SigningState {
  readonly address: string;
  /** Null only during the step that mints the first version. */
  readonly signing: SigningRecord | null;
  /** Natural id of the last rotation, so that its repeat does not rotate again. */
  readonly rotation: string | null;
}

type SecretRotate = Stamped & {
  readonly type: 'secret.rotate';
  readonly request: string;
  readonly overlapMs: number;
};
type SigningEvent = (Stamped & { readonly type: 'secret.mint' }) | SecretRotate;

/** The row's collection and its only id. */
export const SIGNING = 'signing';

const chart = setup({
  types: {} as { context: SigningState; events: SigningEvent; input: { address: string } },
  guards: {
    isNew: guardOn('*', ({ signing }: SigningState) => signing === null),
    isRepeat: guardOn('secret.rotate', ({ rotation }: SigningState, { request }: SecretRotate) => rotation === request),
  },
  actions: {
    mint: assignOn('*', (_: SigningState, { at }) => ({
      signing: { current: { version: 1, mintedAt: at }, previous: null },
    })),
    rotate: assignOn('secret.rotate', (state: SigningState, event: SecretRotate) => ({
      signing: rotated(state, event),
    })),
    keepRequest: assignOn('secret.rotate', (_: SigningState, { request }: SecretRotate) => ({ rotation: request })),
    putSigning: emitOn('*', putSigning),
    answer: emitOn('*', (state: SigningState) => reply(recordOf(state))),
  },
});

export const signingMachine = chart.createMachine({
  id: 'signing',
  initial: 'minted',
  context: ({ input }) => ({ address: input.address, signing: null, rotation: null }),
  options: { maxIterations: 1000 },
  states: {
    minted: {
      on: {
        'secret.mint': [{ guard: 'isNew', actions: ['mint', 'putSigning'] }, {}],
        'secret.rotate': [
          { guard: 'isNew', actions: ['mint', 'keepRequest', 'putSigning', 'answer'] },
          { guard: 'isRepeat', actions: 'answer' },
          { actions: ['rotate', 'keepRequest', 'putSigning', 'answer'] },
        ],
      },
    },
  },
});

function recordOf({ signing }: SigningState): SigningRecord {
  if (signing === null) throw new Error('a signing secret is used before it is minted');
  return signing;
}

/** At most two versions sign: a rotation within the overlap of another ends the oldest one early. */
function rotated(state: SigningState, { overlapMs, at }: SecretRotate): SigningRecord {
  const { current } = recordOf(state);
  return {
    current: { version: current.version + 1, mintedAt: at },
    previous: { ...current, validUntil: at + overlapMs },
  };
}

function putSigning(state: SigningState): Effect {
  return { type: 'put', collection: SIGNING, id: SIGNING, body: plain(recordOf(state)) };
}
