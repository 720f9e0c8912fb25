import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { matches } from '../endpoints/matches.ts';

/** True when the endpoint declares this value for a member of `image_config` or `audio`. */
export function isSetting(
  { descriptors }: Endpoint,
  carrier: 'image_config' | 'audio',
  member: string,
  value: unknown,
): boolean {
  const declared = descriptors[carrier];
  if (declared?.type !== 'object' || !declared.properties || !Object.hasOwn(declared.properties, member)) return false;
  const descriptor = declared.properties[member];
  return descriptor !== undefined && matches(descriptor, value);
}
