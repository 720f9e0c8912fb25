/** How long each commit of a saturated writer took, ms, in the order of their ends. */
export type CommitTimes = readonly number[];

/** One commit after the other for so many seconds; `commit` gets a running number that starts at 1 and never repeats. */
export function commitLoop(commit: (turn: number) => Promise<void>): (seconds: number) => Promise<CommitTimes> {
  let turn = 0;
  return async (seconds) => {
    const took: number[] = [];
    const end = performance.now() + seconds * 1_000;
    for (let began = performance.now(); began < end; began = performance.now()) {
      await commit(++turn);
      took.push(performance.now() - began);
    }
    return took;
  };
}
