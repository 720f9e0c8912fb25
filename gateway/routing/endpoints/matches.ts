import type { Descriptor } from '../../../actors/terms/endpoint.ts';

/** Tolerance of a multiple, as a part of a step: steps such as 0.1 are not exact in binary. */
const STEP_SLACK = 1e-6;

/** True when a descriptor allows a value; a descriptor without bounds allows every value. (rule I36) */
export function matches(descriptor: Descriptor, value: unknown): boolean {
  switch (descriptor.type) {
    case 'range':
      return inRange(descriptor, value);
    case 'integer':
      return Number.isSafeInteger(value) && within(value as number, descriptor.min, descriptor.max);
    case 'boolean':
      return typeof value === 'boolean';
    case 'enum':
      return (descriptor.values as readonly unknown[]).includes(value);
    case 'array':
      return (
        Array.isArray(value) &&
        within(value.length, descriptor.minItems, descriptor.maxItems) &&
        value.every((item) => matches(descriptor.items, item))
      );
    case 'object':
      return inProperties(descriptor.properties, value);
    case 'unknown':
      return true;
  }
}

function inRange({ min, max, step }: Extract<Descriptor, { type: 'range' }>, value: unknown): boolean {
  if (typeof value !== 'number' || !within(value, min, max)) return false;
  if (step === undefined) return true;
  const steps = (value - min) / step;
  return Math.abs(steps - Math.round(steps)) <= STEP_SLACK;
}

/** NaN is within no bounds. */
function within(value: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): boolean {
  return value >= min && value <= max;
}

/** Undeclared members are refused. */
function inProperties(properties: Readonly<Record<string, Descriptor>> | undefined, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (properties === undefined) return true;
  return Object.entries(value).every(([name, member]) => {
    const descriptor = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return descriptor !== undefined && matches(descriptor, member);
  });
}
