/**
 * Accepts a query only if every name in it is known: a word of SQL, a permitted function, a view, a column of a view, or
 * a name that the query gives itself, which is never called and never a schema. So no query reaches a table, a function,
 * a catalogue of the database or a setting, whatever the database would permit.
 */
import { QueryRefused } from './query.ts';

const TEXT_CHARACTERS_MAX = 10_000;

const WORDS = new Set(
  (
    'select from where group by having order limit offset as and or not in is null between like escape exists ' +
    'case when then else end cast distinct all union except intersect with join left right full inner outer cross on ' +
    'using asc desc nulls first last true false over partition rows range preceding following current row unbounded ' +
    'filter integer real text numeric double precision bigint boolean values collate materialized'
  ).split(' '),
);
const FUNCTIONS = new Set(
  (
    'count sum avg min max total abs round length lower upper trim ltrim rtrim substr replace coalesce nullif ' +
    'row_number rank dense_rank lag lead first_value last_value sign floor ceil mod cast'
  ).split(' '),
);
/** A name that the query gives itself may not be one of the database: it could then be read as a table. */
const OF_DATABASE = /^(?:sqlite_|pg_|pragma_|json|dbstat|information_schema|generate_series)/;

/**
 * Both databases end each token where this does. So there is no name right before a text, which PostgreSQL reads by
 * other rules (`E''`), and no blank beyond ASCII, which is a letter there.
 */
const TOKEN =
  /[ \t\r\n]+|(?<comment>--|\/\*)|(?<text>'(?:[^']|'')*')|(?<name>"[^"]*"|[A-Za-z_]\w*)(?![\w'])|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<mark><>|<=|>=|!=|\|\||::|[=<>+\-*/%(),.])/y;

interface Token {
  readonly kind: 'text' | 'name' | 'number' | 'mark';
  readonly text: string;
  /** A name in lower case without its quotes; of others the text. */
  readonly word: string;
}

/** What a query may name, and what it may not. */
interface KnownNames {
  /** Views with their columns. */
  readonly views: ReadonlyMap<string, readonly string[]>;
  /** Schemas of the database, and its tables that are no views. */
  readonly hidden: ReadonlySet<string>;
}

/** A query that may run: without its final semicolon, with the views that it reads. */
export interface CheckedQuery {
  readonly text: string;
  readonly views: readonly string[];
}

/** Throws QueryRefused. */
export function checkQuery(text: string, names: KnownNames): CheckedQuery {
  if (text.length > TEXT_CHARACTERS_MAX)
    throw new QueryRefused(`a query has at most ${TEXT_CHARACTERS_MAX} characters`);
  const trimmed = text.trim().replace(/;\s*$/, '');
  const tokens = tokensOf(trimmed);
  const [first] = tokens;
  if (first?.word !== 'select' && first?.word !== 'with') throw new QueryRefused('a query begins with select or with');
  const { views, hidden } = names;
  const given = namesGiven(tokens, hidden);
  const named = new Set([...WORDS, ...views.keys(), ...[...views.values()].flat(), ...given]);
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'name' || isKnown(token, tokens[i + 1]?.text, { named, hidden })) continue;
    throw new QueryRefused(unknown(token.text, views));
  }
  const words = new Set(tokens.map(({ word }) => word));
  return { text: trimmed, views: [...views.keys()].filter((view) => words.has(view)) };
}

function isKnown(
  { word }: Token,
  next: string | undefined,
  { named, hidden }: { readonly named: ReadonlySet<string>; readonly hidden: ReadonlySet<string> },
): boolean {
  if (next === '(') return FUNCTIONS.has(word) || WORDS.has(word);
  if (next === '.' && hidden.has(word)) return false;
  return named.has(word);
}

function unknown(name: string, views: KnownNames['views']): string {
  const view = (word: string): string => `${word} (${views.get(word)?.join(', ')})`;
  return `${name} is unknown; the views are ${[...views.keys()].map(view).join('; ')}`;
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length; ) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new QueryRefused(`"${text[at]}" at character ${at + 1} is not part of a query`);
    const { comment, text: quoted, name, number, mark } = found.groups ?? {};
    if (comment !== undefined) throw new QueryRefused('a query has no comments');
    if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted, word: quoted });
    else if (name !== undefined)
      tokens.push({ kind: 'name', text: name, word: name.replaceAll('"', '').toLowerCase() });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, word: number });
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark, word: mark });
  }
  return tokens;
}

/** Names behind `as`, in front of `as (`, and behind a view or a closing bracket. */
function namesGiven(tokens: readonly Token[], hidden: ReadonlySet<string>): ReadonlySet<string> {
  const given = new Set<string>();
  for (const [i, { kind, word, text }] of tokens.entries()) {
    if (kind !== 'name' || WORDS.has(word)) continue;
    const before = tokens[i - 1]?.word;
    const isCommon = tokens[i + 1]?.word === 'as' && tokens[i + 2]?.text === '(';
    const isAlias = before === 'as' || before === ')' || (tokens[i - 1]?.kind === 'name' && !WORDS.has(before ?? ''));
    if (!isCommon && !isAlias) continue;
    if (hidden.has(word) || OF_DATABASE.test(word)) throw new QueryRefused(`${text} is a name of the database`);
    given.add(word);
  }
  return given;
}
