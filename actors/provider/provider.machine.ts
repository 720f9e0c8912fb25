/** The provider's chart: what the operator declared, shown on the board; nothing else happens here. */
import { assign, setup } from 'xstate';
import { type Effect, emit, type Stamped } from '../runtime/index.ts';
import type { ProviderFacts } from '../terms/declaration.ts';
import { only, plain } from '../terms/only.ts';

export interface Listing {
  readonly slug: string;
  /** Null when withdrawn. */
  readonly facts: ProviderFacts | null;
  /** Digest of the declaration: the same digest means no change. */
  readonly digest: string | null;
  /** Store time in ms of the last change. */
  readonly declaredAt: number | null;
}

export type ProviderEvent =
  | (Stamped & { readonly type: 'provider.declare'; readonly facts: ProviderFacts; readonly digest: string })
  | (Stamped & { readonly type: 'provider.withdraw' })
  | (Stamped & { readonly type: 'actor.activated' });

function declare({ slug }: Listing, event: ProviderEvent): Listing {
  const { facts, digest, at } = only(event, 'provider.declare');
  return { slug, facts, digest, declaredAt: at };
}

function withdraw({ slug }: Listing, { at }: ProviderEvent): Listing {
  return { slug, facts: null, digest: null, declaredAt: at };
}

function publish({ slug, facts }: Listing): Effect {
  return { type: 'publish', topic: 'providers', key: slug, value: facts === null ? null : plain(facts) };
}

export const providerMachine = setup({
  types: {} as { context: Listing; events: ProviderEvent; input: { address: string } },
  guards: {
    isSame: ({ context, event }) => context.digest === only(event, 'provider.declare').digest,
  },
  actions: {
    declare: assign(({ context, event }) => declare(context, event)),
    withdraw: assign(({ context, event }) => withdraw(context, event)),
    publish: emit<Listing, ProviderEvent>(({ context }) => publish(context)),
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
    'actor.activated': { actions: 'publish' },
  },
});
