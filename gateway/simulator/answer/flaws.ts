/**
 * Ways in which a model contradicts its declarations, from its id: `flawed/<flaw>`, or several joined by `+`. Other
 * models behave as declared.
 */
type Flaw =
  /** Text although the request requires a tool call. */
  | 'prose-for-tools'
  /** A tool call whose arguments end in the middle. */
  | 'broken-arguments'
  /** Reasons although the request disables reasoning. */
  | 'thinks-despite-none'
  /** Reports 0 reasoning tokens at any effort. */
  | 'never-thinks'
  /** 400 for a request that names an effort other than `none`. */
  | 'rejects-effort'
  /** Text although the request asks for a JSON format. */
  | 'ignores-format'
  /** JSON that does not follow the requested schema. */
  | 'ignores-schema'
  /** Ignores the pictures, clips, recordings and documents of a request. */
  | 'blind'
  /** Answers every request with a refusal. */
  | 'refuses';

const PREFIX = 'flawed/';

export function flawsOf(model: string): ReadonlySet<Flaw> {
  return new Set(model.startsWith(PREFIX) ? (model.slice(PREFIX.length).split('+') as Flaw[]) : []);
}
