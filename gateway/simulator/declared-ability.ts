import type { Declared } from './catalogue/declare.ts';
import { guestsOf, modelsDocument, simulatedProviders } from './models-document.ts';

/** What of a models document decides how a model behaves. */
interface DeclaredModel {
  readonly id: string;
  readonly input_modalities: readonly Modality[];
  readonly output_modalities: readonly Modality[];
}

interface Modality {
  readonly type: string;
  readonly supported_parameters?: Readonly<Record<string, unknown>>;
  readonly pricing?: readonly { readonly type: string }[];
}

/** How a model answers, as its document declares it. */
interface DeclaredAbility {
  readonly tokens: number;
  readonly reasoning_tokens?: number;
  /** Reasoning is reported in structured entries beside its text. */
  readonly detailed?: true;
  readonly draws: boolean;
  readonly speaks: boolean;
  /** The answer lists the pictures, recordings and files of the request. */
  readonly sees: boolean;
  readonly caches: boolean;
}

const ANSWER_TOKENS = 24;
const THOUGHT_TOKENS = 12;

let abilities: ReadonlyMap<string, DeclaredAbility> | null = null;

/** The behaviour of a model of a guest provider: it does what its document declares. Null for any other model. */
export function declaredAbility(model: string): DeclaredAbility | null {
  abilities ??= new Map(
    Object.keys(simulatedProviders())
      .flatMap((host) => guestsOf(host))
      .flatMap((slug) => (modelsDocument(slug)?.data ?? []) as readonly (Declared & DeclaredModel)[])
      .map((declared) => [declared.id, abilityOf(declared)]),
  );
  return abilities.get(model) ?? null;
}

function abilityOf({ input_modalities, output_modalities }: DeclaredModel): DeclaredAbility {
  const answers = (type: string): boolean => output_modalities.some((each) => each.type === type);
  const parameters = output_modalities.flatMap(({ supported_parameters = {} }) => Object.keys(supported_parameters));
  const prices = input_modalities.flatMap(({ pricing = [] }) => pricing);
  const thinks = parameters.includes('reasoning_effort');
  return {
    tokens: ANSWER_TOKENS,
    sees: input_modalities.length > 1,
    draws: answers('image'),
    speaks: answers('audio'),
    caches: prices.some(({ type }) => type === 'cached_prompt'),
    ...(thinks ? { detailed: true, reasoning_tokens: THOUGHT_TOKENS } : {}),
  };
}
