import type { ApiType } from '../../actors/terms/hold.ts';

/** What the kind of a turn decides, apart from its dialect and its outputs. */
export interface KindRules {
  /**
   * The type of the event without which an answer has failed: nothing is delivered before it. `name` is its word in
   * failures, `refusal` the message where no endpoint delivered it. Null: any part begins the answer.
   */
  readonly owed: { readonly part: string; readonly name: string; readonly refusal: string } | null;
  /**
   * Each message is an input with a window of its own, which no template surrounds: the member that has them, and the
   * most tokens of all of them. Null: the messages are one prompt.
   */
  readonly inputs: { readonly member: string; readonly tokensMax: number } | null;
  /** The request chooses among outputs: the answer reports whether the endpoint has them. */
  readonly choosesOutputs: boolean;
  /** One text to continue, which an endpoint without conversations serves too. */
  readonly continuesText: boolean;
  /** The path of the picture settings in the body. */
  readonly pictureSettings: string;
  /** The word for the kind in the record of a generation; absent: words. */
  readonly apiType?: ApiType;
}

/** Tokens of all inputs of one embeddings request. (rule I105) */
export const INPUT_TOKENS_MAX = 300_000;
/** Tokens of all documents of one ranking, each with the query. (rule I150) */
const RANKED_TOKENS_MAX = 2_000_000;

const CONVERSATION: KindRules = {
  owed: null,
  inputs: null,
  choosesOutputs: true,
  continuesText: false,
  pictureSettings: 'image_config.',
};

/** The rules of each kind of turn: a further kind is a row. */
const TURN_KINDS = {
  /** Text, and where the request asks for them, pictures and speech. */
  conversation: CONVERSATION,
  /** A text to continue, or where the endpoint has conversations, the answer to it. (rule I62) */
  continuation: { ...CONVERSATION, continuesText: true },
  /** A picture alone. (rule I103) */
  picture: {
    ...CONVERSATION,
    owed: { part: 'image', name: 'picture', refusal: 'No endpoint drew a picture: the answer was without one' },
    pictureSettings: '',
    apiType: 'image',
  },
  /** Vectors for texts. (rule I105) */
  vectors: {
    ...CONVERSATION,
    inputs: { member: 'input', tokensMax: INPUT_TOKENS_MAX },
    choosesOutputs: false,
    apiType: 'embeddings',
  },
  /** Documents in the order in which they answer a query. (rule I150) */
  ranking: {
    ...CONVERSATION,
    inputs: { member: 'documents', tokensMax: RANKED_TOKENS_MAX },
    choosesOutputs: false,
    apiType: 'rerank',
  },
  /** A clip, which a job renders: only routed as a turn. */
  video: CONVERSATION,
} as const satisfies Readonly<Record<string, KindRules>>;

export type TurnKind = keyof typeof TURN_KINDS;

export function rulesOf({ kind }: { readonly kind: TurnKind }): KindRules {
  return TURN_KINDS[kind];
}

/** How many windows the prompt of a turn may fill. */
export function windowsOf(turn: { readonly kind: TurnKind; readonly messages: readonly unknown[] }): number {
  return rulesOf(turn).inputs === null ? 1 : turn.messages.length;
}
