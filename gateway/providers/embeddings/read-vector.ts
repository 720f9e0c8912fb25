import { floatsIn } from '../../terms/float-text.ts';
import type { Vector } from '../../terms/turn-event.ts';
import { ProviderFailure } from '../provider-failure.ts';

const WIDTH_MAX = 65_536;

/** One vector as a list of numbers or as base64 of little-endian 32-bit floats, all of them finite. */
export function readVector(written: unknown): Vector {
  const vector = typeof written === 'string' ? floatsIn(written) : written;
  if (!Array.isArray(vector) && !(vector instanceof Float32Array))
    throw broken('is neither a list nor a text of numbers');
  if (vector.length === 0 || vector.length > WIDTH_MAX) throw broken('is empty or too wide');
  for (let at = 0; at < vector.length; at++) {
    if (!Number.isFinite(vector[at])) throw broken('has an entry that is no finite number');
  }
  return vector;
}

function broken(what: string): ProviderFailure {
  return new ProviderFailure('garbage', `a vector ${what}`);
}
