/** The routes in `docs/operator-api.md`, made of the route tables: `node tests/support/operator-api-page.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaNode } from '../../gateway/json/schema-violations.ts';
import { operatorRoutes } from '../../gateway/operator/api/operator-routes.ts';
import type { OperatorRoute } from '../../gateway/operator/http/operator-route.ts';
import { ROOT } from './sources.ts';

export const OPERATOR_API_PAGE = 'docs/operator-api.md';

const BEGIN = '<!-- routes -->\n';

/** The page with a row for each route in place of what stands after its mark. */
export function operatorApiPage(page: string): string {
  const [words, rest] = page.split(BEGIN);
  if (rest === undefined) throw new Error(`${OPERATOR_API_PAGE} has no mark for its routes`);
  const routes = operatorRoutes({} as never).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const rows = routes.map(rowOf);
  const head = '| Route | Role | What it does | Takes |\n| --- | --- | --- | --- |\n';
  return `${words}${BEGIN}\n${head}${rows.join('')}`;
}

function rowOf({ method, path, policy, summary, query, body }: OperatorRoute): string {
  const takes = [...membersOf(query, 'query'), ...membersOf(body, 'body')].join(', ');
  return `| \`${method} ${path}\` | ${policy} | ${summary} | ${takes || '-'} |\n`;
}

function membersOf(schema: OperatorRoute['query'], place: string): string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as SchemaNode;
  const names = Object.keys(properties).map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`);
  return names.length === 0 ? [] : [`${place}: ${names.join(' ')}`];
}

if (import.meta.main) {
  const path = join(ROOT, OPERATOR_API_PAGE);
  writeFileSync(path, operatorApiPage(readFileSync(path, 'utf8')));
}
