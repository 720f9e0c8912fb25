/** `troupe ps --watch`: the same view again and again; drawn in place in a terminal, a line per change elsewhere. */
import type { Clock, ClusterView } from '../../../../actors/runtime/index.ts';
import { lineOf } from '../../config/config-error.ts';

export const PS_EVERY_MS = 2_000;
/** Looks until an unchanged line is repeated: only a write notices that the reader of a pipe is gone. */
const REPEAT_LOOKS = 15;
/** To the upper left corner, and everything from there to the end is removed. */
const REDRAW = '\u001b[H\u001b[J';

interface PsWatch {
  readonly clock: Clock;
  readonly read: () => Promise<ClusterView>;
  /** The whole view as lines. */
  readonly render: (view: ClusterView) => string;
  readonly out: { readonly isTTY?: boolean; write(text: string): unknown };
  /** One JSON document a line. */
  readonly json: boolean;
  /** Resolves at Ctrl-C. */
  readonly stopped: Promise<void>;
}

/** Rejects if the first read fails; a later failure is shown, and the next read tries again. */
export async function watchPs(watch: PsWatch): Promise<void> {
  const { clock, out, stopped } = watch;
  let isStopped = false;
  let last = '';
  let looks = 0;
  void stopped.then(() => {
    isStopped = true;
  });
  let shown = await next(watch, true);
  for (;;) {
    if (isStopped) return;
    if (watch.json || out.isTTY || shown !== last || looks % REPEAT_LOOKS === 0) out.write(shown);
    looks = shown === last ? looks + 1 : 1;
    last = shown;
    await Promise.race([stopped, new Promise<void>((resolve) => void clock.after(PS_EVERY_MS, resolve))]);
    if (isStopped) return;
    shown = await next(watch, false);
  }
}

async function next({ read, render, out, json }: PsWatch, isFirst: boolean): Promise<string> {
  try {
    const view = await read();
    if (json) return `${JSON.stringify(view)}\n`;
    return out.isTTY ? `${REDRAW}${render(view)}\n` : `${lineFor(view)}\n`;
  } catch (error) {
    if (isFirst) throw error;
    const line = `${lineOf(error)}\n`;
    return out.isTTY ? `${REDRAW}${line}` : line;
  }
}

/** What an operator looks for, without the figures that change all the time. */
function lineFor({ nodes, unowned, deadLetters, quarantined, outage }: ClusterView): string {
  const states = nodes
    .map(({ name, live, state, shards, restarts }) => {
      const again = restarts?.lastHour ? `, ${restarts.lastHour} restarts in the last hour` : '';
      return `${name} ${live ? state : 'dead'} ${shards} shards${again}`;
    })
    .sort();
  const alarms = [
    ...(unowned > 0 ? [`${unowned} shards without an owner`] : []),
    ...(deadLetters.length > 0 ? [`${deadLetters.length} dead letters`] : []),
    ...(quarantined.length > 0 ? [`${quarantined.length} quarantined`] : []),
    ...(outage == null ? [] : [`the store is out of reach since ${new Date(outage.since).toISOString()}`]),
  ];
  return [...states, ...alarms].join('; ');
}
