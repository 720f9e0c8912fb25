import type { TNull, TOptional, TSchema, TUnion } from 'typebox';
import { PARAMETER_ROWS, type PARAMETERS, type RequestParameter } from '../../terms/parameters.ts';
import { maybe } from './members.ts';

type Table = typeof PARAMETERS;
type Dialect = keyof NonNullable<RequestParameter['bounds']>;

type Bounds<N extends keyof Table, D extends Dialect> = Table[N] extends {
  readonly bounds: { readonly [dialect in D]: infer S extends TSchema };
}
  ? S
  : never;

/** The names of the parameters that a dialect has as members. */
type Names<D extends Dialect> = { [N in keyof Table]: [Bounds<N, D>] extends [never] ? never : N }[keyof Table];

type Members<D extends Dialect> = { [N in Names<D>]: TOptional<TUnion<[Bounds<N, D>, TNull]>> };

/** The members of a dialect's body that are parameters, optional, with their bounds and words. */
export function parameterMembers<D extends Dialect>(dialect: D): Members<D> {
  const members: Record<string, TSchema> = {};
  for (const [name, { bounds, words: description }] of PARAMETER_ROWS) {
    const schema = bounds?.[dialect];
    if (schema !== undefined) members[name] = maybe(schema, description);
  }
  return members as Members<D>;
}

/** The parameters that a dialect forwards unchanged to endpoints that declare them. */
export function forwardedParameters<D extends Dialect>(dialect: D): readonly Names<D>[] {
  const rows = PARAMETER_ROWS.filter(([, { bounds, forwarded }]) => forwarded === true && bounds?.[dialect]);
  return rows.map(([name]) => name as Names<D>);
}
