import { kindOf } from '../actor/address.ts';
import type { Cell } from '../actor/cell.ts';
import type { Json } from '../actor/event.ts';
import type { Intent } from '../actor/intent.ts';
import { ASIDE } from '../actor/kept-input.ts';
import type { View } from '../actor/kind.ts';
import { ABSENT, stateText } from '../actor/state-text.ts';
import { systemCollections } from '../actor/system-collections.ts';
import type { Store } from '../ports/store.ts';
import { asideOf, viewOfAside } from './aside-view.ts';
import type { AsideView, Inspection } from './engine.ts';
import type { Floor } from './floor.ts';
import type { HeldShard } from './held-shard.ts';
import type { Outbox } from './outbox.ts';
import type { Runner } from './runner.ts';
import type { Timers } from './timers.ts';

/** What an inspection looks into. */
export interface InspectionParts {
  readonly floor: Floor;
  readonly runner: Runner;
  readonly timers: Timers;
  /** Null where nothing may leave this engine. */
  readonly outbox: Outbox | null;
  readonly store: Pick<Store, 'timersOf' | 'rows'>;
  readonly now: () => number;
}

/** Shows one actor as it stands in memory, with its kind's own words; loads it if need be, and changes nothing. */
export async function inspect(parts: InspectionParts, address: string): Promise<Inspection | null> {
  const home = parts.floor.homeOf(address);
  if (home === undefined || parts.floor.faultOf(address) !== null) return null;
  const cell = await loaded(parts, address, home);
  if (cell === null) return null;
  try {
    const stored = cell.snapshot === null && cell.phase === 'ready' ? [] : await parts.store.timersOf(address);
    if (cell.home.serving === 'gone' || (cell.phase === 'ready' && cell.snapshot === null)) return null;
    const aside = (await parts.store.rows(asideOf(address))).map(viewOfAside);
    return show(parts, cell, home, { timers: timersOf(parts, cell, home, stored), aside });
  } finally {
    cell.pins--;
    parts.runner.tidy(cell);
  }
}

/** The cell, pinned; null when the shard went away or the store did not answer. */
async function loaded({ runner }: InspectionParts, address: string, home: HeldShard): Promise<Cell | null> {
  const cell = runner.cellOf(address, home);
  if (cell.home !== home) return null;
  cell.pins++;
  if (cell.phase !== 'loading') return cell;
  const failure = await new Promise<unknown>((resolve) => cell.onLoaded.push(resolve));
  if (failure === null) return cell;
  cell.pins--;
  return null;
}

function timersOf(
  { timers }: InspectionParts,
  cell: Cell,
  home: HeldShard,
  stored: Awaited<ReturnType<Store['timersOf']>>,
): Inspection['timers'] {
  const all = new Map<string, Inspection['timers'][number]>();
  for (const { name, dueAt, event } of stored) {
    all.set(name, { name, dueAt, event: typeIn(event) });
  }
  for (const { name, dueAt, event } of timers.knownOf(home, cell.address)) {
    if (event === null) all.delete(name);
    else all.set(name, { name, dueAt, event: event.type });
  }
  return [...all.values()].sort((a, b) => a.dueAt - b.dueAt);
}

function show(
  { now, outbox }: InspectionParts,
  cell: Cell,
  home: HeldShard,
  { timers, aside }: Pick<Inspection, 'timers' | 'aside'>,
): Inspection {
  const { address, kind, snapshot } = cell;
  const away = cell.phase === 'quarantined';
  const state = away ? 'quarantined' : snapshot === null ? ABSENT : stateText(snapshot.value);
  const context = (snapshot?.context ?? null) as Json;
  const openRows: Record<string, readonly { readonly id: string; readonly body: Json }[]> = {};
  for (const name of [...kind.collections.keys(), ...(cell.rows.isEmpty(ASIDE.name) ? [] : [ASIDE.name])]) {
    openRows[name] = [...cell.rows.open(name)].map(({ id, body }) => ({ id, body }));
  }
  const view: View = { address, state, context, openRows, now: now() };
  return {
    address,
    kind: kindOf(address),
    shard: home.shard,
    epoch: home.epoch,
    version: cell.version,
    durableVersion: cell.durableVersion,
    chart: kind.version,
    state,
    context: snapshot === null ? null : kind.kind.redact(context),
    openRows: Object.fromEntries(Object.entries(openRows).map(([name, rows]) => [name, rows.length])),
    outbox: outbox?.waitingOf(home, address) ?? [],
    intents: intentsOf(cell),
    aside,
    queue: cell.mailbox.sizes,
    timers,
    trail: cell.trail.steps().map(([version, at, event, from, to]) => ({ address, version, at, event, from, to })),
    explanation: [...(away ? quarantineWords(cell) : explain(cell, view)), ...aside.map(sentence)],
  };
}

/** Why it is quarantined, what that means, and the way out. */
function quarantineWords({ address, fault, rows, keptStored }: Cell): readonly string[] {
  const kept = keptStored + rows.count(ASIDE.name);
  return [
    fault,
    'It is quarantined: nothing is stepped or written, everything that is asked of it is answered so.',
    ...(kept === 0 ? [] : [`${kept} messages that could not be refused wait for it, to be stepped when it loads.`]),
    `Mend what is stored, or start a build that knows its chart; then \`troupe reload ${address}\`.`,
  ];
}

function typeIn(event: string): string {
  try {
    return String((JSON.parse(event) as { readonly type?: unknown } | null)?.type);
  } catch {
    return 'unreadable';
  }
}

/** An explanation that fails must not hide the rest. */
function explain(cell: Cell, view: View): readonly string[] {
  try {
    return cell.kind.kind.explain(view);
  } catch (error) {
    return [`the kind could not explain itself: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function intentsOf(cell: Cell): Inspection['intents'] {
  return [...cell.rows.open(systemCollections.intents.name)].map(({ id, body }) => {
    const { name, attempt, runner, deadlineAt, suspect } = body as Intent;
    return { id, name, attempt, runner, deadlineAt, suspect };
  });
}

function sentence({ address, id, source, event, failure, times }: AsideView): string {
  if (times === 0) return `The ${source} ${event} is kept for it (${failure}): retry or skip ${address} ${id}.`;
  const tried = times === 1 ? 'once' : `${times} times`;
  return `The ${source} ${event} was set aside after it failed ${tried} (${failure}): retry or skip ${address} ${id}.`;
}
