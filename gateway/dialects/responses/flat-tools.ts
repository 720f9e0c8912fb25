import { createHash } from 'node:crypto';
import { invalid } from '../../terms/gateway-error.ts';
import type { Tool } from '../../terms/turn.ts';
import { TOOLS_MAX } from '../request/shared-members.ts';
import type { ResponsesRequest } from './request-schema.ts';

/** Characters of a name that every provider takes. */
const NAME_CHARACTERS_MAX = 64;
const DIGEST_CHARACTERS = 8;

type GivenTool = NonNullable<ResponsesRequest['tools']>[number];
type GivenNamespace = Extract<GivenTool, { readonly type: 'namespace' }>;
type GivenFunction = Exclude<GivenTool, GivenNamespace>;

/** How the client knows a function. */
export interface ClientName {
  readonly name: string;
  /** Null for a function in no namespace. */
  readonly namespace: string | null;
}

/** One function of a request. The model knows it by `tool.name`. */
export interface FlatTool {
  readonly tool: Tool;
  readonly client: ClientName;
  /** Its path in the request. */
  readonly member: string;
}

/**
 * The functions of a request in their order, those of its namespaces among them, since providers know no namespaces.
 * The description of a namespace goes with its first function. Throws 400 above the bound on tools, and for a function
 * of a namespace under whose name the model knows another one.
 */
export function flatTools(tools: readonly GivenTool[]): readonly FlatTool[] {
  const flat = tools.flatMap((tool, at) =>
    tool.type === 'namespace' ? functionsOf(tool, `tools[${at}]`) : [flatTool(tool, null, `tools[${at}]`)],
  );
  if (flat.length > TOOLS_MAX) throw invalid(`tools must have at most ${TOOLS_MAX} functions`);
  refuseSameNames(flat);
  return flat;
}

/** The name under which a model knows a function. A digest of the whole name replaces the end of a long one. */
export function flatName({ name, namespace }: ClientName): string {
  if (namespace === null) return name;
  const whole = `${namespace}__${name}`;
  if (whole.length <= NAME_CHARACTERS_MAX) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${whole.slice(0, NAME_CHARACTERS_MAX - DIGEST_CHARACTERS - 1)}_${digest}`;
}

function functionsOf({ name, description, tools }: GivenNamespace, member: string): FlatTool[] {
  const about = description == null ? '' : `About every function named ${name}__*: ${description}`;
  return tools.map((tool, nth) => {
    if (nth > 0 || about === '') return flatTool(tool, name, `${member}.tools[${nth}]`);
    const introduced = tool.description == null ? about : `${tool.description}\n\n${about}`;
    return flatTool({ ...tool, description: introduced }, name, `${member}.tools[${nth}]`);
  });
}

function flatTool(
  { name, description, parameters, strict }: GivenFunction,
  namespace: string | null,
  member: string,
): FlatTool {
  const client = { name, namespace };
  const tool = {
    name: flatName(client),
    ...(description == null ? {} : { description }),
    ...(parameters == null ? {} : { parameters }),
    ...(strict == null ? {} : { strict }),
  };
  return { tool, client, member };
}

function refuseSameNames(flat: readonly FlatTool[]): void {
  if (flat.every(({ client }) => client.namespace === null)) return;
  const known = new Map<string, FlatTool>();
  for (const each of flat) {
    const { name } = each.tool;
    const other = known.get(name);
    known.set(name, each);
    if (other === undefined || (other.client.namespace === null && each.client.namespace === null)) continue;
    throw invalid(`${each.member}.name: the model knows ${other.member} by the same name, ${name}`);
  }
}
