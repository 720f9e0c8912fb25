/** True when a body of any dialect asks for a stream. The rest of the body is not checked. */
export function asksStream(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (body as { readonly stream?: unknown }).stream === true;
}
