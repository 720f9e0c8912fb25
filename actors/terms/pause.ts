/**
 * An operator's pause of a provider or of one endpoint: no new call goes there until it is resumed. Durable with its
 * actor, and on every node through the board. Calls under way are not touched.
 */
import {
  assignOn,
  type Board,
  type Cluster,
  type Effect,
  emitOn,
  guardOn,
  type Json,
  parseAddress,
  type Stamped,
} from '../runtime/index.ts';
import { OPERATOR_LOG, recordAudit } from './audit.ts';
import { ask, plain, reply } from './chart-tools.ts';
import { auditAddress } from './ids.ts';
import type { Principal } from './principal.ts';

/** Board topic; keys are slugs of providers and ids of endpoints, values `Pause`. The topic lists paused names only. */
export const PAUSES_TOPIC = 'pauses';

const PAUSE_REASON_MAX = 500;

export interface Pause {
  readonly reason: string;
  /** Store time in ms of its first pause in a row. */
  readonly since: number;
}

/** Part of the state of an actor that can be paused. */
export interface Pausable {
  /** Absent: never paused. */
  readonly paused?: Pause | null;
}

/** Shape of the events `<kind>.pause`. */
interface PauseRequest {
  readonly reason: string;
  readonly by: Principal;
}

interface PauseAnswer {
  readonly paused: Pause | null;
  /** False: the actor was in this state already. */
  readonly changed: boolean;
}

/** True if an operator paused the endpoint, or its provider. */
export function isPausedOn(board: Pick<Board, 'read'>, endpoint: string, slug: string): boolean {
  return board.read(PAUSES_TOPIC, endpoint) !== null || board.read(PAUSES_TOPIC, slug) !== null;
}

/** Shown by `ps` after the state. */
export function pauseNote(context: Json): string | null {
  return (context as Pausable).paused == null ? null : 'paused';
}

export function explainPause({ paused }: Pausable, command: string): readonly string[] {
  if (paused == null) return [];
  const since = new Date(paused.since).toISOString();
  return [`An operator paused it at ${since} (${paused.reason}): no new call goes to it until \`troupe ${command}\`.`];
}

function publishPause(key: string, { paused }: Pausable): Effect {
  return { type: 'publish', topic: PAUSES_TOPIC, key, value: paused == null ? null : plain(paused) };
}

function answerPause({ paused = null }: Pausable, changed: boolean): Effect {
  return reply({ paused, changed } satisfies PauseAnswer);
}

type PauseOf<K extends string> = Stamped & PauseRequest & { readonly type: `${K}.pause` };
type ResumeOf<K extends string> = Stamped &
  Pick<PauseRequest, 'by'> & { readonly type: `${K}.resume`; readonly reason?: string };
export type PauseEvent<K extends string> = PauseOf<K> | ResumeOf<K>;

/** The parts of a chart whose actor can be paused. `keyOf` is its name on the board; an event is of `kind`. */
export function pausing<C extends Pausable, K extends string>(
  kind: K,
  keyOf: (state: C) => string,
  addressOf: (key: string) => string,
) {
  const [pause, resume] = [`${kind}.pause`, `${kind}.resume`] as const;
  const recordPause = (state: C, { by, reason }: PauseEvent<K>): readonly Effect[] => {
    const { paused = null } = state;
    const target = addressOf(keyOf(state));
    const action = paused === null ? resume : pause;
    const why = paused === null ? reason : paused.reason;
    const detail = why === undefined ? {} : { reason: why.slice(0, PAUSE_REASON_MAX) };
    return [
      publishPause(keyOf(state), state),
      recordAudit(auditAddress(OPERATOR_LOG), { action, target, by, detail }),
      answerPause(state, true),
    ];
  };
  return {
    guards: {
      isPausedFor: guardOn<C, PauseOf<K>>(pause, ({ paused }, { reason }) => paused?.reason === reason),
      isPaused: guardOn('*', ({ paused }: C) => paused != null),
    },
    actions: {
      /** Pausing again replaces the reason. */
      pause: assignOn<Pausable, PauseOf<K>>(pause, ({ paused }, { reason, at }) => ({
        paused: { reason: reason.slice(0, PAUSE_REASON_MAX), since: paused?.since ?? at },
      })),
      resume: assignOn('*', (_: Pausable) => ({ paused: null })),
      /** After the change: the board, the operator's log, the answer. */
      recordPause: emitOn<C, PauseEvent<K>>([pause, resume], recordPause),
      answerPause: emitOn('*', (state: C) => answerPause(state, false)),
      republishPause: emitOn('*', (state: C) => (state.paused == null ? [] : publishPause(keyOf(state), state))),
    },
  };
}

interface PauseChange {
  readonly by: Principal;
  readonly withinMs: number;
  /** Why it is resumed, for the audit log. */
  readonly because?: string;
}

/** Pauses the provider or endpoint at `address`; a null reason resumes it. A repeat changes nothing. */
export async function changePause(
  cluster: Pick<Cluster, 'ask'>,
  address: string,
  reason: string | null,
  { by, withinMs, because }: PauseChange,
): Promise<PauseAnswer> {
  const kind = parseAddress(address)?.kind ?? '';
  const why = reason ?? because;
  const type = `${kind}.${reason === null ? 'resume' : 'pause'}`;
  const event = { type, by: plain(by), ...(why === undefined ? {} : { reason: why }) };
  return ask<PauseAnswer>(cluster, address, event, withinMs);
}
