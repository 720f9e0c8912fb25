/** True when an object has no members. Allocates no list, since most requests call this several times. */
export function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
