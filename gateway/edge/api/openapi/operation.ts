import type { TSchema } from '@sinclair/typebox';

/** One route as the published document shows it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v1`, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** Without one the route is open to everybody. */
  readonly key: boolean;
  readonly query?: readonly Parameter[];
  /** Names of schemas among the components. */
  readonly body?: string;
  readonly reply?: string;
  /** One `data:` line of its `text/event-stream`, where `stream: true` asks for one. */
  readonly frame?: string;
  /** Runs a generation: headers and refusals of inference belong to it. */
  readonly inference?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly schema: TSchema;
  readonly required?: boolean;
  readonly description?: string;
}
