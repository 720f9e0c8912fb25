import type { Vector } from '../../terms/turn-event.ts';
import { ProviderFailure } from '../provider-failure.ts';

const FLOAT_BYTES = 4;
const WIDTH_MAX = 65_536;

/** One vector as a list of numbers or as base64 of little-endian 32-bit floats, all of them finite. */
export function readVector(written: unknown): Vector {
  const vector = typeof written === 'string' ? decoded(written) : written;
  if (!Array.isArray(vector) && !(vector instanceof Float32Array)) throw broken('is neither a list nor a text');
  if (vector.length === 0 || vector.length > WIDTH_MAX) throw broken('is empty or too wide');
  for (let at = 0; at < vector.length; at++) {
    if (!Number.isFinite(vector[at])) throw broken('has an entry that is no finite number');
  }
  return vector;
}

function decoded(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % FLOAT_BYTES !== 0) throw broken('has an incomplete number');
  const floats = new Float32Array(bytes.length / FLOAT_BYTES);
  for (let at = 0; at < floats.length; at++) floats[at] = bytes.readFloatLE(at * FLOAT_BYTES);
  return floats;
}

function broken(what: string): ProviderFailure {
  return new ProviderFailure('garbage', `a vector ${what}`);
}
