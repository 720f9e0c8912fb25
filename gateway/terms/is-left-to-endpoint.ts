/** True for an image setting that any endpoint satisfies: one image, or a choice left to the endpoint. */
export function isLeftToEndpoint(member: string, value: unknown): boolean {
  return value === 'auto' || (member === 'n' && value === 1);
}
