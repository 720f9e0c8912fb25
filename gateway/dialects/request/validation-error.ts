import type { TSchema } from 'typebox';
import { schemaViolations } from '../../json/schema-violations.ts';

const MEMBER_CHARACTERS_MAX = 200;

/**
 * Describes why a check refused a body, as one sentence that names the member and its bound: `top_p must be greater
 * than 0`. (rule E10)
 */
export function validationError(schema: TSchema, body: unknown): string {
  const [found] = schemaViolations(schema, body, 1);
  if (found === undefined) return 'The request body does not have the expected shape';
  const member = memberOf(found.path);
  return `${member === '' ? 'The request body' : member} ${found.rule}`;
}

/** `messages`, `2`, `content` as `messages[2].content`. */
function memberOf(path: readonly string[]): string {
  const member = path
    .map((segment, at) => (/^\d{1,9}$/.test(segment) ? `[${segment}]` : at === 0 ? segment : `.${segment}`))
    .join('');
  return member.slice(0, MEMBER_CHARACTERS_MAX);
}
