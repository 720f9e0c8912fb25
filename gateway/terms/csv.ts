/**
 * Lines of CSV (RFC 4180). A cell that a spreadsheet would take for a formula is preceded by an apostrophe; a negative
 * amount stays a number.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = /^([=+@\t\r]|-(?!\d+(\.\d+)?$))/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
