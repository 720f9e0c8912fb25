/** A tokenizer's vocabulary, as its library names it. */
export type VocabularyName = 'cl100k_base' | 'o200k_base' | 'p50k_base' | 'r50k_base';

export interface Vocabulary {
  readonly name: VocabularyName;
  /** Counts the tokens of a short text. The time is superlinear in the longest run without a space: see `pieces`. */
  count(text: string): number;
}

/**
 * The vocabulary for endpoints that declare none of ours: the densest of the common ones. Over the corpus of `npm run
 * bench -- tokens` it counts at least as many tokens as `o200k_base` for every kind of text, within 1 %, and up to five
 * times as many for scripts that the larger vocabulary covers better.
 */
export const DENSEST: VocabularyName = 'cl100k_base';

/** Declared tokenizers in lower case. A family such as `GPT` names several vocabularies and counts as undeclared. */
const DECLARED: ReadonlyMap<string, VocabularyName> = new Map([
  ['cl100k_base', 'cl100k_base'],
  ['cl100k', 'cl100k_base'],
  ['o200k_base', 'o200k_base'],
  ['o200k', 'o200k_base'],
  ['o200k_harmony', 'o200k_base'],
  ['p50k_base', 'p50k_base'],
  ['p50k', 'p50k_base'],
  ['r50k_base', 'r50k_base'],
  ['r50k', 'r50k_base'],
  ['gpt2', 'r50k_base'],
]);

/** The vocabulary that counts the prompts of an endpoint with this declared tokenizer. */
export function vocabularyOf(tokenizer: string | null): VocabularyName {
  return tokenizer === null ? DENSEST : (DECLARED.get(tokenizer.toLowerCase()) ?? DENSEST);
}

/** True where the declared tokenizer is one of ours: then its count is exact. */
export function hasVocabulary(tokenizer: string | null): boolean {
  return tokenizer !== null && DECLARED.has(tokenizer.toLowerCase());
}

interface Library {
  readonly countTokens: (text: string, options: typeof AS_TEXT) => number;
  readonly setMergeCacheSize: (words: number) => void;
}

/** One module per vocabulary, of 1 to 2.4 MB and 10 to 21 MB in memory: loaded at first use. */
const MODULES: Readonly<Record<VocabularyName, () => Promise<Library>>> = {
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
};

/** A template's marks inside a text are text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/**
 * Words whose tokens the library remembers. A word keeps the text that it was cut from in memory, so it is cut from a
 * copy of its piece: 8,192 words keep 32 MiB at most.
 */
const REMEMBERED_WORDS_MAX = 8_192;

/** Module state because the vocabularies are constants: a process needs each of them once. */
const loaded = new Map<VocabularyName, Vocabulary>();

/** The vocabulary if it is in memory. */
export function loadedVocabulary(name: VocabularyName): Vocabulary | undefined {
  return loaded.get(name);
}

/** Brings a vocabulary into memory: 60 to 120 ms of the event loop the first time, so nodes load `DENSEST` at start. */
export async function loadVocabulary(name: VocabularyName): Promise<Vocabulary> {
  const { countTokens, setMergeCacheSize } = await MODULES[name]();
  const known = loaded.get(name);
  if (known) return known;
  setMergeCacheSize(REMEMBERED_WORDS_MAX);
  const vocabulary: Vocabulary = { name, count: (text) => countTokens(Buffer.from(text).toString(), AS_TEXT) };
  loaded.set(name, vocabulary);
  return vocabulary;
}
