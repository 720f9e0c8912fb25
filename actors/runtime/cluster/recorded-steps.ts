/**
 * Recorded steps as operators see and take them again, read from the store on any node: no actor is loaded. Only a request
 * to record goes to the actor.
 */
import { kindOf } from '../actor/address.ts';
import { storedTransitions } from '../actor/cascade/transition-log.ts';
import type { RegisteredKind } from '../actor/charts/register.ts';
import type { ActorEvent } from '../actor/event.ts';
import { again } from '../actor/history/again.ts';
import type { RebuiltStep } from '../actor/history/rebuild.ts';
import { type ShownAgain, type ShownStep, shownAgain, shownStep } from '../actor/history/redacted.ts';
import { rebuiltStep, storedSteps } from '../durable/history.ts';
import type { Store } from '../ports/store.ts';
import type { ActorHistory, StepEntry } from './cluster.ts';
import type { Router } from './router.ts';

const RECORD_MS = 10_000;

interface StepParts {
  readonly store: Pick<Store, 'rows' | 'loadActor'>;
  readonly kinds: readonly RegisteredKind[];
  readonly router: Router;
}

export class RecordedSteps implements ActorHistory {
  readonly #parts: StepParts;

  constructor(parts: StepParts) {
    this.#parts = parts;
  }

  async list(
    address: string,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly StepEntry[]> {
    const { store } = this.#parts;
    const { before = Number.POSITIVE_INFINITY, limit } = page;
    const [stored, actor] = await Promise.all([storedSteps(store, address, page), store.loadActor(address)]);
    const entries = new Map<number, StepEntry>();
    for (const step of actor === null ? [] : storedTransitions(actor.actor.transitions)) {
      if (step.version < before) entries.set(step.version, { ...step, recorded: false });
    }
    for (const { version, body } of stored) {
      const { at, event, from, to, node, epoch } = body;
      entries.set(version, { version, at, event: event.type, from, to, node, epoch, recorded: true });
    }
    return [...entries.values()].sort((a, b) => b.version - a.version).slice(0, limit);
  }

  async read(address: string, version: number): Promise<ShownStep | null> {
    const found = await this.#recorded(address, version);
    return found && shownStep(found.kind.kind, found.step);
  }

  async again(address: string, version: number, event?: ActorEvent): Promise<ShownAgain | null> {
    const found = await this.#recorded(address, version);
    return found && shownAgain(found.kind.kind, found.step, again(found.kind, address, found.step, event));
  }

  async record(address: string, until: number): Promise<boolean> {
    const event = { type: '$record', until, event: null };
    return (await this.#parts.router.ask(address, event, { withinMs: RECORD_MS })) !== 'none';
  }

  async #recorded(
    address: string,
    version: number,
  ): Promise<{ readonly kind: RegisteredKind; readonly step: RebuiltStep } | null> {
    const kind = this.#parts.kinds.find(({ name }) => name === kindOf(address));
    const step = kind === undefined ? null : await rebuiltStep(this.#parts.store, address, version);
    return kind === undefined || step === null ? null : { kind, step };
  }
}
