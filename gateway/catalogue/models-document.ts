import { TypeCompiler } from '@sinclair/typebox/compiler';
import { documentSchema, type ModelsDocument } from './document-schema.ts';
import { InvalidDocument } from './invalid-document.ts';
import { lineAt, lineOf } from './line-of.ts';
import { validationError } from './validation-error.ts';

/** No valid document is nested deeper. */
const DEPTH_MAX = 32;

/** Compiled on first use. Accepting a valid document is fast; finding the first error may take longer. */
let compiled: ReturnType<typeof TypeCompiler.Compile<typeof documentSchema>> | null = null;

/** A models document that cannot be used. The message names the member and, for a text, its line. */
export class BrokenDocument extends Error {
  override readonly name = 'BrokenDocument';
}

/**
 * Parses JSON text as a models document and passes it to `then`, whose errors get a line too. Throws `BrokenDocument`.
 */
export function parseModelsText<T>(json: string, then: (document: ModelsDocument) => T): T {
  const value = parsed(json);
  return located(
    (path) => `line ${lineOf(json, path)}: `,
    () => then(checked(value)),
  );
}

/** The same for a value in the config. */
export function parseModelsValue<T>(value: unknown, then: (document: ModelsDocument) => T): T {
  return located(
    () => '',
    () => then(checked(value)),
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? lineAt(json, json.length) : lineAt(json, Number(position));
    throw new BrokenDocument(`line ${line}: this is not JSON (${message.replace(/( in JSON)? at position.*$/s, '')})`);
  }
}

function checked(value: unknown): ModelsDocument {
  if (depthOf(value) > DEPTH_MAX) throw new InvalidDocument([], `the document is nested deeper than ${DEPTH_MAX}`);
  compiled ??= TypeCompiler.Compile(documentSchema);
  if (compiled.Check(value)) return value;
  const wrong = validationError(documentSchema, value);
  throw new InvalidDocument(wrong?.path ?? [], wrong?.message ?? 'the document does not fit its schema');
}

function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return depth;
  return Object.values(value).reduce((most: number, each) => Math.max(most, depthOf(each, depth + 1)), depth + 1);
}

function located<T>(place: (path: readonly string[]) => string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw new BrokenDocument(`${place(error.path)}${error.message}`);
  }
}
