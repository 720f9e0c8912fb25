/** True when a body asks for a stream, in every dialect by the same member; nothing else of the body is judged. */
export function asksStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (body as { readonly stream?: unknown }).stream === true;
}
