/** How a contract under a manual clock registers its clauses: each runs on an implementation opened for it alone. */
import { test } from 'uvu';
import { HandClock } from '../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../support/bounded.ts';

/** Registers a clause: a title, and a body that gets the opened implementation and its clock. */
export type Clause<Opened> = (
  title: string,
  run: (opened: Opened & { readonly clock: HandClock }) => Promise<void>,
) => void;

export function clausesOf<Opened extends { readonly close: () => Promise<void> }>(
  name: string,
  startAt: number,
  open: (clock: HandClock) => Promise<Opened>,
): Clause<Opened> {
  const it = bounded(test);
  return (title, run) =>
    it(`${name}: ${title}`, async () => {
      const clock = new HandClock(startAt);
      const opened = await open(clock);
      try {
        await run({ ...opened, clock });
      } finally {
        await opened.close();
      }
    });
}
