import { kindOf } from '../../actor/address.ts';
import type { Answer } from '../../actor/answer.ts';
import type { ActivityRecord } from '../../actor/cascade/activity-record.ts';
import type { Cell } from '../../actor/cascade/cell.ts';
import { recordedUntil } from '../../actor/cascade/recorder.ts';
import { systemCollections } from '../../actor/cascade/row-writes.ts';
import { ABSENT } from '../../actor/charts/snapshot.ts';
import type { Json } from '../../actor/event.ts';
import type { View } from '../../actor/kind.ts';
import { hiderOf, outlineOf } from '../../actor/redaction.ts';
import { stateText } from '../../actor/state-text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { deadLettersOf, viewOfDeadLetter } from '../dead-letters.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { DeadLetterView, Inspection, ShownRow, WaitingMessage } from '../engine.ts';
import type { Outbox } from '../outgoing/outbox.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import type { Shard } from '../shard.ts';
import type { Timers } from '../timers/timers.ts';

const WAITING_SHOWN_MAX = 20;
/** Of each collection. */
const ROWS_SHOWN_MAX = 100;

/** The parts that an inspection reads. */
interface InspectionParts {
  readonly registry: CellRegistry;
  readonly dispatcher: Dispatcher;
  readonly timers: Timers;
  /** Null for an engine without a cluster port. */
  readonly outbox: Outbox | null;
  readonly store: Pick<Store, 'timersOf' | 'rows'>;
  readonly now: () => number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The incarnation of this node. */
  readonly self: string;
}

/**
 * Shows one actor as it is in memory, with its kind's explanation. Loads the actor if needed and changes nothing; throws
 * where it cannot be loaded now.
 */
export async function inspect(parts: InspectionParts, address: string): Promise<Inspection | null> {
  const shard = parts.registry.shardOf(address);
  if (shard === undefined || parts.registry.faultOf(address) !== null) return null;
  const cell = await loaded(parts, address, shard);
  if (cell === null) return null;
  try {
    const stored = cell.snapshot === null && cell.phase === 'ready' ? [] : await parts.store.timersOf(address);
    if (cell.shard.serving === 'gone' || (cell.phase === 'ready' && cell.snapshot === null)) return null;
    const deadLetters = (await parts.store.rows(deadLettersOf(address))).map(viewOfDeadLetter);
    return show(parts, cell, shard, { timers: timersOf(parts, cell, shard, stored), deadLetters });
  } finally {
    cell.pins--;
    parts.registry.tidy(cell);
  }
}

/** The pinned cell; null when the shard was dropped. Throws when the store did not respond: that is no absence. */
async function loaded({ dispatcher }: InspectionParts, address: string, shard: Shard): Promise<Cell | null> {
  const cell = dispatcher.cellOf(address, shard);
  if (cell.shard !== shard) return null;
  cell.pins++;
  if (cell.phase !== 'loading') return cell;
  const answer = await new Promise<Answer | null>((resolve) => cell.onLoaded.push(resolve));
  if (answer === null) return cell;
  cell.pins--;
  if (!answer.ok && answer.failure.code === 'refused') throw new Error(answer.failure.detail);
  return null;
}

function timersOf(
  { timers }: InspectionParts,
  cell: Cell,
  shard: Shard,
  stored: Awaited<ReturnType<Store['timersOf']>>,
): Inspection['timers'] {
  const all = new Map<string, Inspection['timers'][number]>();
  for (const { name, dueAt, event } of stored) {
    all.set(name, { name, dueAt, event: typeIn(event) });
  }
  for (const { name, dueAt, event } of timers.knownOf(shard, cell.address)) {
    if (event === null) all.delete(name);
    else all.set(name, { name, dueAt, event: event.type });
  }
  return [...all.values()].sort((a, b) => a.dueAt - b.dueAt);
}

function show(
  parts: InspectionParts,
  cell: Cell,
  shard: Shard,
  { timers, deadLetters }: Pick<Inspection, 'timers' | 'deadLetters'>,
): Inspection {
  const { now, outbox } = parts;
  const { address, kind, snapshot } = cell;
  const away = cell.phase === 'quarantined';
  const state = away ? 'quarantined' : snapshot === null ? ABSENT : stateText(snapshot.value);
  const context = (snapshot?.context ?? null) as Json;
  const openRows: Record<string, readonly ShownRow[]> = {};
  for (const name of [
    ...kind.collections.keys(),
    ...(cell.rows.isEmpty(systemCollections.deadLetters.name) ? [] : [systemCollections.deadLetters.name]),
  ]) {
    openRows[name] = [...cell.rows.open(name)].map(({ id, body }) => ({ id, body }));
  }
  const hide = hiderOf(kind.kind, [context]);
  const work = activityRecordsOf(cell);
  const view: View = { address, state, context, openRows, now: now() };
  return {
    address,
    kind: kindOf(address),
    node: shard.node,
    incarnation: parts.self,
    shard: shard.id,
    epoch: shard.epoch,
    version: cell.version,
    durableVersion: cell.durableVersion,
    chart: kind.version,
    state,
    context: snapshot === null ? null : kind.kind.redact(context),
    openRows: Object.fromEntries(Object.entries(openRows).map(([name, rows]) => [name, rows.length])),
    rows: Object.fromEntries(
      Object.entries(openRows).map(([name, rows]) => [
        name,
        hide(rows.slice(0, ROWS_SHOWN_MAX)) as readonly ShownRow[],
      ]),
    ),
    outbox: outbox?.waitingOf(shard, address) ?? [],
    activities: work,
    deadLetters,
    queue: cell.mailbox.sizes,
    waiting: waitingOf(parts, cell),
    timers,
    recording: recordingOf(cell, view.now),
    transitions: cell.transitionLog
      .steps()
      .map(([version, at, event, from, to, epoch, node]) => ({ address, version, at, event, from, to, epoch, node })),
    explanation: [
      ...(away ? quarantineExplanation(cell) : explain(cell, view)),
      ...work.map(activitySentence),
      ...deadLetters.map(sentence),
    ],
  };
}

function recordingOf(cell: Cell, now: number): Inspection['recording'] {
  const until = recordedUntil(cell);
  return until === null || until <= now ? null : { until };
}

function waitingOf({ now, clock }: InspectionParts, { mailbox }: Cell): readonly WaitingMessage[] {
  const [time, monotonic] = [now(), clock.monotonic()];
  return mailbox.first(WAITING_SHOWN_MAX).map(({ lane, mail }) => {
    const { type, ...body } = mail.event;
    return { lane, event: type, since: Math.round(time - (monotonic - mail.since)), body: outlineOf(body as Json) };
  });
}

/** Why the actor is quarantined, the effects, and the remedy. */
function quarantineExplanation({ address, fault, rows, deferredStored }: Cell): readonly string[] {
  const deferred = deferredStored + rows.count(systemCollections.deadLetters.name);
  return [
    fault,
    'It is quarantined: nothing is stepped or written, everything that is asked of it is answered so.',
    ...(deferred === 0
      ? []
      : [`${deferred} messages that could not be refused wait for it and are stepped when it loads.`]),
    `Repair the stored state, or start a build with its chart version; then \`troupe reload ${address}\`.`,
  ];
}

function typeIn(event: string): string {
  try {
    return String((JSON.parse(event) as { readonly type?: unknown } | null)?.type);
  } catch {
    return 'unreadable';
  }
}

/** A failing explanation must not hide the rest of the inspection. */
function explain(cell: Cell, view: View): readonly string[] {
  try {
    return cell.kind.kind.explain(view);
  } catch (error) {
    return [`the kind failed to explain the actor: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function activityRecordsOf(cell: Cell): Inspection['activities'] {
  return [...cell.rows.open(systemCollections.activities.name)].map(({ id, body }) => {
    const { name, attempt, runner, begun, deadlineAt, suspect, lastFailure } = body as ActivityRecord;
    return { id, name, attempt, runner, runnerNode: null, begun, deadlineAt, suspect, lastFailure };
  });
}

/** The id of an activity is its name where its actor never has two of that name. */
function activitySentence({
  id,
  name,
  attempt,
  runner,
  begun,
  suspect,
  lastFailure,
}: Inspection['activities'][number]): string {
  const turn = suspect ? 'waits for its turn among the suspects of' : 'waits for its turn on';
  const failure = lastFailure === null ? '' : `, last failure: ${lastFailure}`;
  const activity = id === name ? name : `${name} ${id}`;
  return `The activity ${activity} ${begun ? 'runs on' : turn} ${runner}: attempt ${attempt}${failure}.`;
}

function sentence({ address, id, source, event, failure, times }: DeadLetterView): string {
  if (times === 0) return `The ${source} ${event} is kept for it (${failure}): retry or skip ${address} ${id}.`;
  const tried = times === 1 ? 'once' : `${times} times`;
  return `The ${source} ${event} is a dead letter after it failed ${tried} (${failure}): retry or skip ${address} ${id}.`;
}
