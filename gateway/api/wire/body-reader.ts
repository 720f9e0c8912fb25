import type { TObject } from 'typebox';
import { membersOf, unreadMembers } from '../../dialects/request/read-members.ts';
import { type RequestContext, takeBody } from '../../edge/request-context.ts';

/**
 * Takes the bodies of a route, unchecked, and names in `X-Unread-Members` of its answer what nothing reads. The function
 * that the body is for checks it by the same schema.
 */
export function bodyReader(schema: TObject) {
  const read = membersOf(schema);
  return (context: RequestContext): unknown => {
    const body = takeBody(context).value;
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) nameUnread(context, read, body);
    return body;
  };
}

/** On an answer whose head is written elsewhere. */
export function nameUnread({ response }: RequestContext, read: ReadonlySet<string>, body: object): void {
  const unread = unreadMembers(read, body);
  if (unread !== null) response.setHeader('x-unread-members', unread.join(', '));
}
