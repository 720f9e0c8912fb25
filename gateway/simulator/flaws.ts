/**
 * What a model does against its declarations, from its id: `flawed/<flaw>`, or several joined by `+`. Any other model
 * keeps what it promises.
 */
export type Flaw =
  /** Prose where a tool call is demanded. */
  | 'prose-for-tools'
  /** A tool call whose arguments end in the middle. */
  | 'broken-arguments'
  /** Thinks although told not to. */
  | 'thinks-despite-none'
  /** Says that it never thinks, whatever effort is asked. */
  | 'never-thinks'
  /** 400 for a request that names an effort other than `none`. */
  | 'rejects-effort'
  /** Prose where a JSON format is asked. */
  | 'ignores-format'
  /** JSON, of another shape than was asked. */
  | 'ignores-schema'
  /** Answers every request with a refusal. */
  | 'refuses';

const PREFIX = 'flawed/';

export function flawsOf(model: string): ReadonlySet<Flaw> {
  return new Set(model.startsWith(PREFIX) ? (model.slice(PREFIX.length).split('+') as Flaw[]) : []);
}
