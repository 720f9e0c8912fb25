import type { Store } from '../../actors/runtime/ports/store.ts';

type Loaded = NonNullable<Awaited<ReturnType<Store['loadActor']>>>;

/** One changed character in the middle of the snapshot. */
export function flippedSnapshot<L extends Loaded>(loaded: L): L {
  const { snapshot } = loaded.actor;
  const at = snapshot.length >> 1;
  const other = snapshot[at] === 'x' ? 'y' : 'x';
  const actor = { ...loaded.actor, snapshot: `${snapshot.slice(0, at)}${other}${snapshot.slice(at + 1)}` };
  return { ...loaded, actor };
}
