/** What strict providers list as their models, in the published form of each. */

/** The models that every one of them serves: one calls tools on its own, one thinks, one does neither. */
const PLAIN = ['sim/tools', 'sim/reasoner', 'sim/fast'].map((id) => ({ id, object: 'model', created: 1_750_000_000 }));

const YES = { supported: true };
const NO = { supported: false };

const LISTS: Readonly<Record<string, object>> = {
  groq: {
    object: 'list',
    data: [
      ...PLAIN.map((model) => ({
        ...model,
        owned_by: 'Groq',
        active: true,
        context_window: 131_072,
        max_completion_tokens: 32_768,
      })),
      { id: 'whisper-large-v3', object: 'model', owned_by: 'OpenAI', active: true, context_window: 448 },
      { id: 'sim/old', object: 'model', owned_by: 'Groq', active: false, context_window: 8_192 },
    ],
  },
  openrouter: {
    data: PLAIN.map((model, at) => ({
      ...model,
      name: `Sim: ${model.id}`,
      context_length: 200_000,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      pricing: { prompt: `0.000000${at + 1}`, completion: '0.000002', input_cache_read: '0.00000005', image: '0' },
      top_provider: { context_length: 200_000, max_completion_tokens: 64_000 },
      supported_parameters: ['temperature', 'tools', 'tool_choice', 'reasoning', 'response_format'],
    })),
  },
  together: PLAIN.map((model) => ({
    ...model,
    type: 'chat',
    display_name: `Sim ${model.id}`,
    context_length: 65_536,
    pricing: { hourly: 0, input: 0.18, output: 0.6, base: 0, finetune: 0 },
  })),
  anthropic: {
    data: ['claude-haiku-4-5', 'claude-opus-4-7', 'claude-sonnet-4-5'].map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2026-02-04T00:00:00Z',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: {
        image_input: YES,
        structured_outputs: NO,
        effort: id.includes('opus') ? { ...YES, low: YES, medium: YES, high: YES, max: YES } : NO,
        thinking: {
          ...YES,
          types: { enabled: id.includes('opus') ? NO : YES, adaptive: id.includes('opus') ? YES : NO },
        },
      },
    })),
  },
  cohere: {
    models: PLAIN.map(({ id }) => ({ name: id, endpoints: ['chat'], context_length: 128_000, features: ['tools'] })),
  },
  ollama: {
    models: PLAIN.map(({ id }) => ({ name: id, model: id, modified_at: '2026-02-04T00:00:00Z', details: {} })),
  },
  google: {
    models: PLAIN.map(({ id }) => ({
      name: `models/${id}`,
      displayName: id,
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ['generateContent'],
      thinking: true,
    })),
  },
};

/** The whole list of a strict provider's models. Ids alone, where the provider publishes nothing more. */
export function modelList(preset: string): object {
  return LISTS[preset] ?? { object: 'list', data: PLAIN };
}

/** Shorter than any list, whatever size of page is asked for. */
const PAGE_ENTRIES_MAX = 2;

interface Pages {
  readonly member: 'data' | 'models';
  /** The parameter that continues the list, and the members of a page that say so; `last` is the end of the page. */
  readonly after: string;
  readonly more: (last: string, isLast: boolean) => object;
}

/** The providers whose lists have pages. */
const PAGES: Readonly<Record<string, Pages>> = {
  anthropic: {
    member: 'data',
    after: 'after_id',
    more: (last, isLast) => ({ has_more: !isLast, first_id: null, last_id: last }),
  },
  google: {
    member: 'models',
    after: 'pageToken',
    more: (last, isLast) => (isLast ? {} : { nextPageToken: last }),
  },
  cohere: {
    member: 'models',
    after: 'page_token',
    more: (last, isLast) => (isLast ? { next_page_token: '' } : { next_page_token: last }),
  },
};

/** The page of that list which a request asks for; the list itself, where it has no pages. */
export function modelPage(preset: string, query: URLSearchParams): object {
  const pages = PAGES[preset];
  const list = modelList(preset);
  if (pages === undefined) return list;
  const all = (list as Readonly<Record<string, readonly Entry[]>>)[pages.member] ?? [];
  const first = all.findIndex((entry) => nameOf(entry) === query.get(pages.after)) + 1;
  const page = all.slice(first, first + PAGE_ENTRIES_MAX);
  const isLast = first + page.length >= all.length;
  return { [pages.member]: page, ...pages.more(nameOf(page.at(-1) ?? {}), isLast) };
}

interface Entry {
  readonly id?: string;
  readonly name?: string;
}

function nameOf({ id, name = '' }: Entry): string {
  return id ?? name;
}

/** What Ollama shows of a model; null for one that it does not have. */
export function shownModel(model: string): object | null {
  const facts = { 'general.architecture': 'sim', 'sim.context_length': 131_072, 'sim.embedding_length': 4_096 };
  const thinking = model === 'sim/reasoner' ? ['thinking'] : [];
  if (!PLAIN.some(({ id }) => id === model)) return null;
  return {
    parameters: model === 'sim/fast' ? 'stop "<|end|>"\nnum_ctx 8192' : 'temperature 0.6',
    details: { format: 'gguf', family: 'sim' },
    model_info: facts,
    capabilities: ['completion', 'tools', ...thinking],
    modified_at: '2026-02-04T00:00:00Z',
  };
}
