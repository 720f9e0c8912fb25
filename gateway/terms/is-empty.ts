/** Whether an object has no member. Makes no list of them, as most requests ask this of several. */
export function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
