import type { Descriptor } from '../../../actors/terms/endpoint.ts';
import type { DeclaredDescriptor } from './document-schema.ts';

/** A declared descriptor in internal form. Drops `default`, because the gateway never fills it in. */
function descriptorOf(declared: DeclaredDescriptor): Descriptor {
  switch (declared.type) {
    case 'range': {
      const { min, max, step } = declared;
      return { type: 'range', min, max, ...(step === undefined ? {} : { step }) };
    }
    case 'integer':
      return { type: 'integer', ...bounds(declared.min, declared.max) };
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'enum', values: declared.values };
    case 'array':
      return arrayOf(declared);
    case 'object':
      return declared.properties === undefined
        ? { type: 'object' }
        : { type: 'object', properties: descriptorsOf(declared.properties) };
    default:
      return { type: 'unknown' };
  }
}

/** The descriptors of parameters, by name. */
export function descriptorsOf(
  declared: Readonly<Record<string, DeclaredDescriptor>>,
): Readonly<Record<string, Descriptor>> {
  return Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, descriptorOf(one)]));
}

function arrayOf({ items, min_items, max_items }: Extract<DeclaredDescriptor, { type: 'array' }>): Descriptor {
  return {
    type: 'array',
    items: items === undefined ? { type: 'unknown' } : descriptorOf(items as DeclaredDescriptor),
    ...(min_items === undefined ? {} : { minItems: min_items }),
    ...(max_items === undefined ? {} : { maxItems: max_items }),
  };
}

function bounds(min: number | undefined, max: number | undefined): { readonly min?: number; readonly max?: number } {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}
