type Members = Readonly<Record<string, unknown>>;

/** What the error of an answer says, in the forms of all servers. Never leaves the classification. */
export interface RefusalFacts {
  /** Every object of the error, outermost first. */
  readonly records: readonly Members[];
  /** Machine words (`code`, `type`, `status`, `reason`) in lower case. */
  readonly words: ReadonlySet<string>;
  /** The messages, one a line. */
  readonly text: string;
  /** Paths that the error names, the plainest statement first. */
  readonly paths: readonly (string | readonly (string | number)[])[];
}

/** An error is small; the rest of a larger one is ignored. */
const RECORDS_MAX = 24;
const TEXT_CHARACTERS_MAX = 2_048;
const PATHS_MAX = 16;

/** Members that hold a further error object, a list of them, or their JSON text. */
const INNER = ['error', 'innererror', 'detail', 'details', 'errors', 'fieldViolations', 'message', 'metadata', 'raw'];
const WORDS = ['code', 'type', 'status', 'reason'];
const MESSAGES = ['message', 'msg', 'detail', 'error', 'description', 'status_msg'];
const PATHS = ['param', 'loc', 'field'];

const WORD = /^[\w.-]{2,64}$/;

/** Paths that stand in a message: at its beginning, or in quotes. */
const PATH_IN_TEXT = [
  /^([a-z]\w{1,40}(?:\.\w{1,40}|\[\d{1,6}\]){0,8}): /im,
  /: ([a-z]\w{1,40}(?:\.\w{1,40}|\[\d{1,6}\]){0,8}): /i,
  /["'`]([a-z]\w{1,40}(?:\.\w{1,40}|\[\d{1,6}\]){0,8})["'`]/i,
  /GenerateContentRequest\.([\w.[\]]{1,100})/,
  /\binvalid (max_tokens|temperature|top_p) value/i,
  /request argument supplied: (\w{1,40})/i,
];

/** Reads a parsed answer, or the error object inside one. */
export function refusalFacts(answer: unknown): RefusalFacts {
  const records = recordsOf(answer);
  const words = new Set<string>();
  const texts: string[] = typeof answer === 'string' ? [answer] : [];
  const paths: (string | readonly (string | number)[])[] = [];
  for (const record of records) {
    for (const name of WORDS) addWord(record[name], words);
    for (const name of MESSAGES) {
      const text = record[name];
      if (typeof text === 'string' && text !== '' && !texts.includes(text)) texts.push(text);
    }
    for (const name of PATHS) if (isPath(record[name])) paths.push(record[name]);
    if ('flagged_input' in record) words.add('moderation');
  }
  const text = texts.join('\n').slice(0, TEXT_CHARACTERS_MAX);
  for (const pattern of PATH_IN_TEXT) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) paths.push(found);
  }
  const tuple = /'loc': \(([^)]{1,200})\)/.exec(text)?.[1];
  if (tuple !== undefined) paths.push(tuple.replace(/['\s]/g, '').split(','));
  return { records, words, text, paths: paths.slice(0, PATHS_MAX) };
}

function recordsOf(answer: unknown): readonly Members[] {
  const records: Members[] = [];
  const open: unknown[] = [answer];
  for (let value = open.shift(); value !== undefined && records.length < RECORDS_MAX; value = open.shift()) {
    if (Array.isArray(value)) open.push(...value.slice(0, RECORDS_MAX));
    else if (typeof value === 'object' && value !== null) {
      records.push(value as Members);
      for (const name of INNER) open.push(innerOf((value as Members)[name]) ?? null);
    }
  }
  return records;
}

/** An object or a list, also where it is given as JSON text. */
function innerOf(value: unknown): unknown {
  if (typeof value === 'object') return value;
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return null;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

function addWord(value: unknown, words: Set<string>): void {
  if (typeof value === 'string' && WORD.test(value)) words.add(value.toLowerCase());
}

function isPath(value: unknown): value is string | readonly (string | number)[] {
  if (typeof value === 'string') return value !== '';
  return Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number');
}
