import type { Store, TimerRecord } from '../../actors/runtime/ports/store.ts';
import { flippedSnapshot } from './flipped-snapshot.ts';
import { MemoryStore } from './memory-store.ts';

type Loaded = NonNullable<Awaited<ReturnType<MemoryStore['loadActor']>>>;

/** A memory store that returns some actors and timers damaged until they are repaired. */
export class DamagedStore extends MemoryStore {
  readonly actors = new Map<string, (stored: Loaded) => Loaded>();
  readonly timers = new Map<string, (stored: TimerRecord) => TimerRecord>();

  override async loadActor(address: string) {
    const stored = await super.loadActor(address);
    const damage = this.actors.get(address);
    return stored !== null && damage !== undefined ? damage(stored) : stored;
  }

  override async timersDue(...args: Parameters<Store['timersDue']>): Promise<readonly TimerRecord[]> {
    return (await super.timersDue(...args)).map((timer) => this.timers.get(timer.address)?.(timer) ?? timer);
  }

  override async timersOf(address: string): Promise<readonly TimerRecord[]> {
    return (await super.timersOf(address)).map((timer) => this.timers.get(address)?.(timer) ?? timer);
  }

  /** One changed character in the middle of the snapshot. */
  flip(address: string): void {
    this.actors.set(address, flippedSnapshot);
  }

  mend(): void {
    this.actors.clear();
    this.timers.clear();
  }
}
