/** What the simulated customers ask for. Pure. */

/** An endpoint of the catalogue. */
export interface Offer {
  readonly model: string;
  readonly outputs: readonly string[];
  readonly provider: string;
}

export interface Order {
  /** Below the base address. */
  readonly path: string;
  readonly body: object;
}

const QUESTIONS = [
  'Name three rivers of Europe and the seas that they end in.',
  'Write a haiku about a night train.',
  'What is the difference between a mutex and a semaphore?',
  'Translate "The shop opens at nine" into German and French.',
  'Give me a packing list for four days in the mountains.',
  'Explain compound interest to a twelve-year-old.',
  'Suggest a name for a small bakery near a harbour.',
];
const SCENES = ['A fox runs through snow', 'A lighthouse at dawn', 'A paper boat in the rain'];
const TOKENS_MAX = 120;
/** Documents of a ranking's answer. */
const BEST = 3;
/** Every fourth answer is whole, the others stream; every tenth request is a batch. */
const WHOLE_EVERY = 4;
const BATCH_EVERY = 10;
const BATCH_LINES = 5;
/** Videos and pictures cost more than text: rounds from one to the next. */
const VIDEO_ROUNDS = 50;
const PICTURE_ROUNDS = 5;

/** The request for the endpoint with this place in a round; null if it has none in this round. */
export function orderOf({ model, outputs, provider }: Offer, round: number, place: number): Order | null {
  const nth = round + place;
  const question = QUESTIONS[nth % QUESTIONS.length] as string;
  const scene = SCENES[nth % SCENES.length] as string;
  const chosen = { model, provider: { only: [provider] } };
  if (outputs.includes('video'))
    return every(VIDEO_ROUNDS, round, { path: '/videos', body: { ...chosen, prompt: scene } });
  if (outputs.includes('embeddings')) return { path: '/embeddings', body: { ...chosen, input: question } };
  if (outputs.includes('rerank')) {
    return { path: '/rerank', body: { ...chosen, query: question, documents: QUESTIONS, top_n: BEST } };
  }
  if (outputs.includes('image')) {
    return every(PICTURE_ROUNDS, round, { path: '/images/generations', body: { ...chosen, prompt: scene } });
  }
  const spoken = outputs.includes('audio')
    ? { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } }
    : {};
  const chat = { ...chosen, ...spoken, max_tokens: TOKENS_MAX, messages: [{ role: 'user', content: question }] };
  if (nth % BATCH_EVERY === 0) return { path: '/batches', body: batchOf(chat) };
  return { path: '/chat/completions', body: { ...chat, stream: outputs.length === 1 && nth % WHOLE_EVERY !== 0 } };
}

function every(rounds: number, round: number, order: Order): Order | null {
  return round % rounds === 0 ? order : null;
}

function batchOf(chat: object): object {
  const requests = Array.from({ length: BATCH_LINES }, (_, line) => ({
    custom_id: `question-${line + 1}`,
    body: chat,
  }));
  return { endpoint: '/v1/chat/completions', requests };
}
