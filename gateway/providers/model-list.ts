type Members = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;

/** Where providers of one wire list their models, and how the list is read. */
export interface ModelList {
  /** Below the base address. */
  readonly path: string;
  /** Of a list in pages. */
  readonly pages?: {
    /** Asks for the largest pages. */
    readonly size: Query;
    /** What asks for the page behind this one; null: it is the last. */
    readonly next: (page: Members) => Query | null;
  };
  /** A call that tells more of one model than its entry; its answer has members of the entry beside own ones. */
  readonly details?: (id: string) => { readonly path: string; readonly body: string };
}

/** The list in one piece, as OpenAI answers it. */
export const STANDARD_LIST: ModelList = { path: '/models' };

/** A text of the answer as a parameter of the next call; none, or an empty one, ends the list. */
export function nextBy(name: string, value: unknown): Query | null {
  return typeof value === 'string' && value !== '' ? { [name]: value } : null;
}
