/** The operator API as an OpenAPI document, made of the route tables. */
import type { TSchema } from 'typebox';
import type { SchemaNode } from '../../json/schema-violations.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';

/** `GET /api/openapi.json`: of these routes and of itself. */
export function openApiRoute(routes: readonly OperatorRoute[]): OperatorRoute {
  const own: OperatorRoute = operatorRoute({
    method: 'GET',
    path: '/api/openapi.json',
    policy: 'viewer',
    summary: 'This API as an OpenAPI 3.1 document.',
    answer: () => openApiOf([...routes, own]),
  });
  return own;
}

function openApiOf(routes: readonly OperatorRoute[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Troupe operator API', version: '1', description: 'What an operator sees and does, at every node.' },
    security: [{ token: [] }],
    paths,
    components: {
      schemas: { Error: ERROR },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const ERROR = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, member: { type: 'string' } },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};

function operationOf({ method, path, policy, summary, query, body, answers }: OperatorRoute): object {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...(query === undefined ? [] : queryParameters(query)),
  ];
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase())}`,
    summary,
    description: policy === 'open' ? 'Needs no token.' : `Needs the role ${policy}.`,
    ...(policy === 'open' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonOf(body) } }),
    responses: {
      '200': { description: 'Done', ...(answers === undefined ? {} : { content: jsonOf(answers) }) },
      default: { description: 'A failure', content: jsonOf({ $ref: '#/components/schemas/Error' } as TSchema) },
    },
  };
}

function queryParameters(query: TSchema): readonly object[] {
  const { properties = {}, required = [] } = query as SchemaNode;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    description,
  }));
}

function jsonOf(schema: TSchema): object {
  return { 'application/json': { schema } };
}
