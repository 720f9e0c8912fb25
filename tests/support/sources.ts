/** The source files of the repository as text, with what each imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname ?? '.', '../..');

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** Repository paths of the TypeScript files below a folder. */
export function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(path);
    return /\.tsx?$/.test(path) ? [path] : [];
  });
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s+'([^']+)'|(?:^|[^.\w])import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g;

export function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imports = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
  return { path, text, imports };
}

/** Repository path of a relative import; null for a package. */
export function target(source: Source, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return relative(ROOT, resolve(ROOT, dirname(source.path), specifier));
}

/** Top-level functions and methods by indentation: the formatter closes a block at the indentation that opened it. */
export function functions(text: string): { name: string; lines: number }[] {
  const lines = text.split('\n');
  const found: { name: string; lines: number }[] = [];
  const opens =
    /^(\s*)(?:export )?(?:default )?(?:async )?(?:function\*? (\w+)|(?:private |protected |readonly |static |override |async |\*)*(\w+)\([^;]*\)?[^;=]*\{$|const (\w+) = (?:async )?\()/;
  lines.forEach((line, start) => {
    const match = opens.exec(line);
    const name = match?.[2] ?? match?.[3] ?? match?.[4];
    if (!/[{(,]$/.test(line)) return;
    if (!match || !name || ['if', 'for', 'while', 'switch', 'catch', 'test', 'return'].includes(name)) return;
    const indent = match[1] ?? '';
    const end = lines.findIndex(
      (other, at) =>
        at > start && (other === `${indent}}` || [';', ',', ')'].some((mark) => other.startsWith(`${indent}}${mark}`))),
    );
    if (end > start) found.push({ name, lines: end - start + 1 });
  });
  return found;
}
