/**
 * Readings of a provider's models document on command: the one that runs, with its progress, and the last ones with
 * their results. A run whose node died ends as `interrupted` at its deadline. Bounded; pure.
 */
import { assignOn, type Effect, emitOn, type Stamped } from '../runtime/index.ts';
import { reply } from '../terms/chart-tools.ts';

const HISTORY_MAX = 20;
const FAULTS_MAX = 20;
const FAULT_CHARS_MAX = 500;
/** A run that has not ended by then has lost its node. */
const RUN_MS_MAX = 300_000;
const LAPSED_TIMER = 'refresh.lapsed';

type RefreshPhase = 'queued' | 'reading' | 'declaring';

/** Times are store times, ms. */
export interface RunningRefresh {
  readonly run: string;
  readonly by: 'provider' | 'operator';
  readonly startedAt: number;
  readonly phase: RefreshPhase;
  /** Endpoints declared so far, and in all; null before the document is read. */
  readonly declared: number;
  readonly total: number | null;
}

export interface RefreshResult {
  /** `invalid`: the document; `failed`: an actor or a store could not be reached. */
  readonly result: 'declared' | 'invalid' | 'failed' | 'interrupted';
  readonly endpoints: number;
  readonly changes: number;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

export interface EndedRefresh extends Pick<RunningRefresh, 'run' | 'by' | 'startedAt'>, RefreshResult {
  readonly endedAt: number;
}

export interface RefreshState {
  readonly running: RunningRefresh | null;
  /** Newest first. */
  readonly history: readonly EndedRefresh[];
}

/** Sent by the node that conducts the run. */
export type RefreshStep =
  | { readonly type: 'refresh.begin'; readonly run: string; readonly by: 'provider' | 'operator' }
  | ({ readonly type: 'refresh.progress' } & Pick<RunningRefresh, 'run' | 'phase' | 'declared' | 'total'>)
  | ({ readonly type: 'refresh.end'; readonly run: string } & RefreshResult)
  | { readonly type: 'refresh.lapsed' };

const INTERRUPTED: RefreshResult = { result: 'interrupted', endpoints: 0, changes: 0, faults: [], warnings: [] };

/** The state after a step; the same one where the step is of a run that does not run. */
function refreshed(before: RefreshState | undefined, step: RefreshStep, at: number): RefreshState {
  const state = before ?? { running: null, history: [] };
  const { running } = state;
  if (step.type === 'refresh.begin') {
    const { run, by } = step;
    if (running !== null) return state;
    return { ...state, running: { run, by, startedAt: at, phase: 'queued', declared: 0, total: null } };
  }
  if (running === null || (step.type !== 'refresh.lapsed' && step.run !== running.run)) return state;
  if (step.type === 'refresh.progress') {
    const { phase, declared, total } = step;
    return { ...state, running: { ...running, phase, declared, total } };
  }
  const { run, by, startedAt } = running;
  const ended = { run, by, startedAt, endedAt: at, ...bounded(step.type === 'refresh.end' ? step : INTERRUPTED) };
  return { running: null, history: [ended, ...state.history].slice(0, HISTORY_MAX) };
}

function bounded({ result, endpoints, changes, faults, warnings }: RefreshResult): RefreshResult {
  const some = (texts: readonly string[]) => texts.slice(0, FAULTS_MAX).map((text) => text.slice(0, FAULT_CHARS_MAX));
  return { result, endpoints, changes, faults: some(faults), warnings: some(warnings) };
}

/** From the state after the step: the answer, and the end of a run whose node died. */
function refreshEffects(state: RefreshState, step: RefreshStep, at: number): readonly Effect[] {
  const { running } = state;
  if (step.type === 'refresh.progress' || step.type === 'refresh.lapsed') return [];
  if (step.type === 'refresh.end') {
    return [...(running === null ? [{ type: 'cancel', name: LAPSED_TIMER } as const] : []), reply({ ended: true })];
  }
  const begun = running?.run === step.run;
  const answer = reply({ running: running as RunningRefresh, begun });
  if (!begun) return [answer];
  return [{ type: 'schedule', name: LAPSED_TIMER, at: at + RUN_MS_MAX, event: { type: LAPSED_TIMER } }, answer];
}

/** The parts of the provider's chart. */
interface Refreshing {
  readonly refreshes?: RefreshState;
}
type RefreshEvent = Stamped & RefreshStep;
const STEPS = ['refresh.begin', 'refresh.progress', 'refresh.end', 'refresh.lapsed'] as const;

export const refreshActions = {
  refresh: assignOn(STEPS, ({ refreshes }: Refreshing, event: RefreshEvent) => ({
    refreshes: refreshed(refreshes, event, event.at),
  })),
  answerRefresh: emitOn(STEPS, ({ refreshes }: Refreshing, event: RefreshEvent) =>
    refreshEffects(refreshes as RefreshState, event, event.at),
  ),
};
