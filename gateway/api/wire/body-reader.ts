import type { TObject } from 'typebox';
import { membersOf, unreadMembers } from '../../dialects/request/unread-members.ts';
import { type RequestContext, takeBody } from '../../edge/request-context.ts';
import { checker } from '../keys/key-schema.ts';

/**
 * Takes and checks the bodies of a route, and names in `X-Unread-Members` of its answer what nothing reads. Throws
 * GatewayError 400 naming the member.
 */
export function bodyReader<T extends TObject>(schema: T) {
  const check = checker(schema);
  const read = membersOf(schema);
  return (context: RequestContext): ReturnType<typeof check> => {
    const body = check(takeBody(context).value);
    nameUnread(context, read, body as object);
    return body;
  };
}

/** On an answer whose head is written elsewhere. */
export function nameUnread({ response }: RequestContext, read: ReadonlySet<string>, body: object): void {
  const unread = unreadMembers(read, body);
  if (unread !== null) response.setHeader('x-unread-members', unread.join(', '));
}
