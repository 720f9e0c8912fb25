/** True for a picture's setting that asks nothing: one picture, and whatever the endpoint thinks best. */
export function isLeftToEndpoint(member: string, value: unknown): boolean {
  return value === 'auto' || (member === 'n' && value === 1);
}
