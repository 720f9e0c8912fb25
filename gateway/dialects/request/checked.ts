import type { Static, TProperties, TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { invalid } from '../../terms/invalid.ts';
import { validationError } from './validation-error.ts';

/**
 * Checks a parsed body against its schema; throws a 400 that names the member and its bound. The body is not changed:
 * no coercion, no defaults, nothing removed. (rule E10)
 */
export function checked<T extends TSchema>(check: Validator<TProperties, T>, body: unknown): Static<T> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('The request body must be a JSON object');
  }
  const { model, models } = body as { readonly model?: unknown; readonly models?: unknown };
  if (model == null && (models == null || (Array.isArray(models) && models.length === 0))) {
    throw invalid('model is required');
  }
  if (!check.Check(body)) throw invalid(validationError(check.Type(), body));
  return body as Static<T>;
}
