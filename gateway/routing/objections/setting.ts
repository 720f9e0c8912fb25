import type { EndpointOffer } from '../../../actors/terms/offer.ts';
import { satisfies } from '../satisfies.ts';

/** Whether the endpoint declares this value of a member of `image_config` or `audio`. */
export function isSetting(
  { descriptors }: EndpointOffer,
  carrier: 'image_config' | 'audio',
  member: string,
  value: unknown,
): boolean {
  const declared = descriptors[carrier];
  if (declared?.type !== 'object' || !declared.properties || !Object.hasOwn(declared.properties, member)) return false;
  const descriptor = declared.properties[member];
  return descriptor !== undefined && satisfies(descriptor, value);
}
