import { checkOf } from '../../json/schema-check.ts';
import { documentSchema, type ModelsDocument } from './document-schema.ts';
import { documentWarnings } from './document-warnings.ts';
import { lineAt, lineOf } from './line-of.ts';
import { InvalidDocument, invalidDocument, type ValidationError, validationErrors } from './validation-error.ts';

/** No valid document is nested deeper. */
const DEPTH_MAX = 32;
const FAULTS_MAX = 50;
/** In a longer text only the first fault gets its line: each line is a walk through the text. */
const EVERY_LINE_CHARS_MAX = 1024 * 1024;

/** Accepting a valid document is fast; finding the errors of another may take longer. */
const fits = checkOf(documentSchema);

/** A models document that cannot be used. The message names the member of its first fault and, for a text, its line. */
export class BrokenDocument extends Error {
  override readonly name = 'BrokenDocument';
  /** Every fault that was found, at most 50. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const [first = 'the document is invalid', ...others] = faults;
    super(others.length === 0 ? first : `${first} (and ${others.length} more)`);
    this.faults = faults;
  }
}

/**
 * Parses JSON text as a models document and passes it to `then`, whose errors get a line too. Throws `BrokenDocument`.
 */
export function parseModelsText<T>(json: string, then: (document: ModelsDocument) => T): T {
  const value = parsed(json);
  return located(placesIn(json), () => passed(value, then));
}

/** The same for a value in the config. */
export function parseModelsValue<T>(value: unknown, then: (document: ModelsDocument) => T): T {
  return located(
    () => '',
    () => passed(value, then),
  );
}

/** What is probably a mistake in a valid document, with lines where it is a text; none for an invalid one. */
export function modelsWarnings(models: string | object): readonly string[] {
  const value = typeof models === 'string' ? parsed(models) : models;
  const place = typeof models === 'string' ? placesIn(models) : () => '';
  try {
    return documentWarnings(checked(value)).map(({ path, message }, nth) => `${place(path, nth)}${message}`);
  } catch (error) {
    if (error instanceof InvalidDocument) return [];
    throw error;
  }
}

type Place = (path: readonly string[], nth: number) => string;

function placesIn(json: string): Place {
  return (path, nth) => (nth === 0 || json.length <= EVERY_LINE_CHARS_MAX ? `line ${lineOf(json, path)}: ` : '');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? lineAt(json, json.length) : lineAt(json, Number(position));
    throw new BrokenDocument([
      `line ${line}: this is not JSON (${message.replace(/( in JSON)? at position.*$/s, '')})`,
    ]);
  }
}

function checked(value: unknown): ModelsDocument {
  if (depthOf(value) > DEPTH_MAX) throw new InvalidDocument([], `the document is nested deeper than ${DEPTH_MAX}`);
  if (fits(value)) return value as ModelsDocument;
  throw invalidDocument(validationErrors(documentSchema, value, FAULTS_MAX));
}

/** If the document does not fit its schema, `then` still sees the models that do, so that their faults are found too. */
function passed<T>(value: unknown, then: (document: ModelsDocument) => T): T {
  let document: ModelsDocument;
  try {
    document = checked(value);
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw invalidDocument([...error.faults, ...faultsOfTheRest(value, error.faults, then)].slice(0, FAULTS_MAX));
  }
  return then(document);
}

function faultsOfTheRest(
  value: unknown,
  faults: readonly ValidationError[],
  then: (document: ModelsDocument) => unknown,
): readonly ValidationError[] {
  const faulty = new Set(faults.map(({ path }) => (path[0] === 'data' ? path[1] : undefined)));
  // A fault outside a model, or as many as are listed: which models are sound is unknown.
  if (faulty.has(undefined) || faults.length >= FAULTS_MAX) return [];
  const data = [...(value as ModelsDocument).data];
  // A hole keeps the numbers of the models behind it.
  for (const nth of faulty) delete data[Number(nth)];
  try {
    then({ data });
    return [];
  } catch (error) {
    if (error instanceof InvalidDocument) return error.faults;
    throw error;
  }
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return depth;
  return Object.values(value).reduce((most: number, each) => Math.max(most, depthOf(each, depth + 1)), depth + 1);
}

function located<T>(place: Place, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw new BrokenDocument(
      error.faults.slice(0, FAULTS_MAX).map(({ path, message }, nth) => `${place(path, nth)}${message}`),
    );
  }
}
