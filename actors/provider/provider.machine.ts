/**
 * The provider's chart: what the operator declared, shown on the board, and what came of its models document when that
 * was read last, shown to operators alone.
 */
import { assign, setup } from 'xstate';
import { type Effect, emit, type Stamped } from '../runtime/index.ts';
import type { ProviderFacts } from '../terms/declaration.ts';
import { only, plain } from '../terms/only.ts';

export interface ListedModels {
  readonly slug: string;
  /** Null when withdrawn. */
  readonly facts: ProviderFacts | null;
  /** Digest of the declaration: the same digest means no change. */
  readonly digest: string | null;
  /** Store time in ms of the last change. */
  readonly declaredAt: number | null;
  /** Absent until the document was read for the first time. */
  readonly document?: DocumentReading;
}

export interface DocumentReading {
  /** Why the document cannot be used; null: it can. */
  readonly problem: string | null;
  /** Endpoints of the last document that could be used. */
  readonly endpoints: number;
  /** Store time in ms when it was first found so. */
  readonly since: number;
}

export type ProviderEvent =
  | (Stamped & { readonly type: 'provider.declare'; readonly facts: ProviderFacts; readonly digest: string })
  | (Stamped & { readonly type: 'provider.read'; readonly problem: string | null; readonly endpoints: number })
  | (Stamped & { readonly type: 'provider.withdraw' })
  | (Stamped & { readonly type: 'actor.activated' });

function declare({ slug }: ListedModels, event: ProviderEvent): ListedModels {
  const { facts, digest, at } = only(event, 'provider.declare');
  return { slug, facts, digest, declaredAt: at };
}

/** A broken document says nothing of endpoints: those of the one before stay. */
function read({ document }: ListedModels, event: ProviderEvent): Pick<ListedModels, 'document'> {
  const { problem, endpoints, at } = only(event, 'provider.read');
  return { document: { problem, endpoints: problem === null ? endpoints : (document?.endpoints ?? 0), since: at } };
}

function isRead({ document }: ListedModels, event: ProviderEvent): boolean {
  const { problem, endpoints } = only(event, 'provider.read');
  return document?.problem === problem && (problem !== null || document.endpoints === endpoints);
}

function withdraw({ slug }: ListedModels, { at }: ProviderEvent): ListedModels {
  return { slug, facts: null, digest: null, declaredAt: at };
}

function publish({ slug, facts }: ListedModels): Effect {
  return { type: 'publish', topic: 'providers', key: slug, value: facts === null ? null : plain(facts) };
}

export const providerMachine = setup({
  types: {} as { context: ListedModels; events: ProviderEvent; input: { address: string } },
  guards: {
    isRead: ({ context, event }) => isRead(context, event),
    isSame: ({ context, event }) => context.digest === only(event, 'provider.declare').digest,
  },
  actions: {
    declare: assign(({ context, event }) => declare(context, event)),
    withdraw: assign(({ context, event }) => withdraw(context, event)),
    read: assign(({ context, event }) => read(context, event)),
    publish: emit<ListedModels, ProviderEvent>(({ context }) => publish(context)),
    answerChanged: emit(() => ({ type: 'reply', body: { changed: true } })),
    answerSame: emit(() => ({ type: 'reply', body: { changed: false } })),
  },
}).createMachine({
  id: 'provider',
  initial: 'declared',
  context: ({ input }) => ({
    slug: input.address.slice(input.address.indexOf(':') + 1),
    facts: null,
    digest: null,
    declaredAt: null,
  }),
  options: { maxIterations: 1000 },
  states: {
    declared: {
      on: {
        'provider.withdraw': { target: 'withdrawn', actions: ['withdraw', 'publish', 'answerChanged'] },
      },
    },
    withdrawn: {
      on: {
        'provider.withdraw': { actions: 'answerSame' },
      },
    },
  },
  on: {
    'provider.declare': [
      { guard: 'isSame', actions: 'answerSame' },
      { target: '.declared', actions: ['declare', 'publish', 'answerChanged'] },
    ],
    'provider.read': [{ guard: 'isRead', actions: 'answerSame' }, { actions: ['read', 'answerChanged'] }],
    'actor.activated': { actions: 'publish' },
  },
});
