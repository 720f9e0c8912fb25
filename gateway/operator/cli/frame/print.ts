/** Control characters but tab and line feed, other line breaks, and what turns the direction of writing around. */
const UNSEEN = /(?![\t\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** Writes the CLI's output: one JSON document with `--json`, else lines and aligned columns. */
export function print(options: { readonly json?: boolean }, value: unknown, human: () => string): void {
  process.stdout.write(visible(options.json ? `${JSON.stringify(value, null, 2)}\n` : `${human()}\n`));
}

/** Names and messages of customers and providers steer no terminal: a control character is shown as its escape. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeOf);
}

/** Nor do they begin a line or a column. */
export function inLine(value: string | number | boolean): string {
  return visible(String(value)).replace(/[\t\n]/g, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Columns as wide as their widest cell, two spaces apart; no row is a single dash. A cell of null is empty. */
export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const lines = [head, ...rows].map((line) => line.map((cell) => inLine(cell ?? '')));
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const render = (line: readonly string[]) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return lines.map(render).join('\n');
}

/** Names and values, one pair per line; absent values are left out. */
export function pairs(entries: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const shown = Object.entries(entries).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${inLine(value ?? '')}`).join('\n');
}

export function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
