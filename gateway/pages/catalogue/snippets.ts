import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { byPrice, type CatalogueModel, catalogueModels } from '../../catalogue/models.ts';
import { type Html, html } from '../kit/html.ts';

interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** Members of a request, by name. */
type Members = Readonly<Record<string, unknown>>;

/** How a request reaches the API. */
export interface Access {
  /** Address of the API. */
  readonly base: string;
  /** The key's text; absent: the request takes it from the environment. */
  readonly key?: string;
}

/** Requests to paste, in the languages of the common SDKs. */
export function snippets({ id, endpoints }: CatalogueModel, access: Access): Html {
  const parts = snippetsFor(id, endpoints, access).map(
    ({ name, text }, at) =>
      html`<details${at === 0 && html` open`}><summary>${name}</summary>
${copyable(text, `snippet-${at}`)}</details>`,
  );
  return html`<div class="snippets">${parts}</div>`;
}

/** A text to copy. `id` names it on its page. */
export function copyable(text: string, id: string): Html {
  return html`<div class="snippet"><pre class="scroll" id="${id}" tabindex="0">${text}</pre><button class="bare" type="button" data-copy="${id}" hidden>Copy</button></div>`;
}

/**
 * The model that a first request names: it chats in text, and among those it has the most endpoints that are not down;
 * the cheapest of equals. Null: the catalogue has none.
 */
export function firstModel(topic: ReadonlyMap<string, Json>): CatalogueModel | null {
  const rank = ({ endpoints }: CatalogueModel): number => endpoints.filter(({ health }) => health !== 'down').length;
  const chats = catalogueModels(topic).filter(({ endpoints }) =>
    endpoints.every(({ outputModalities }) => outputModalities.join() === 'text'),
  );
  const price = ({ endpoints }: CatalogueModel): Endpoint => endpoints[0] as Endpoint;
  return [...chats].sort((a, b) => rank(b) - rank(a) || byPrice(price(a), price(b)))[0] ?? null;
}

function snippetsFor(model: string, endpoints: readonly Endpoint[], access: Access): readonly Snippet[] {
  const writes = new Set(endpoints.flatMap(({ outputModalities }) => outputModalities));
  const prompt = 'A river in the morning';
  if (writes.has('video')) return [curl(access, '/videos', { model, prompt })];
  if (writes.has('image')) return [curl(access, '/images/generations', { model, prompt })];
  if (writes.has('embeddings')) return [curl(access, '/embeddings', { model, input: [prompt] })];
  if (writes.has('rerank')) {
    const documents = ['The sun sets behind the mill.', 'Mist rises from the river at dawn.'];
    return [curl(access, '/rerank', { model, query: prompt, documents })];
  }
  const chat = (content: string, more: Members = {}): Members => ({
    model,
    messages: [{ role: 'user', content }],
    ...more,
  });
  const voice = endpoints.flatMap(({ envelopes }) => envelopes.speech?.voices ?? [])[0];
  const members =
    writes.has('audio') && voice !== undefined
      ? chat('Say hello', { modalities: ['text', 'audio'], audio: { voice, format: 'wav' } })
      : chat('Hello');
  return [curl(access, '/chat/completions', members), typeScript(access, members), python(access, members)];
}

function curl(access: Access, path: string, members: Members): Snippet {
  return { name: 'curl', text: curlText({ access, path, members }) };
}

interface CurlParts {
  /** Null: without a credential. */
  readonly access: Access | null;
  /** Of the API, or a whole address without `access`. */
  readonly path: string;
  /** Absent: what curl sends by itself, POST with a body and GET without. */
  readonly method?: string;
  /** Of the JSON body; absent: none. */
  readonly members?: Members;
  /** Further options, one a line. */
  readonly options?: readonly string[];
}

/** A command to paste into a shell. */
export function curlText({ access, path, method, members, options = [] }: CurlParts): string {
  const key = access?.key ?? '$OPENAI_API_KEY';
  const lines = Object.entries(members ?? {}).map(([name, value]) => `    "${name}": ${spaced(value)}`);
  const body = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`;
  return [
    `curl ${method === undefined ? '' : `-X ${method} `}${access?.base ?? ''}${path}`,
    ...(access === null ? [] : [`-H "Authorization: Bearer ${key}"`]),
    ...options,
    ...(members === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${body}'`]),
  ].join(' \\\n  ');
}

const RUN_TYPESCRIPT = '// npm install openai, save this as hello.mjs, then: node hello.mjs\n';

function typeScript({ base, key }: Access, members: Members): Snippet {
  const lines = Object.entries(members).map(([name, value]) => `  ${name}: ${spaced(value)},`);
  const secret = key === undefined ? '' : `, apiKey: '${key}'`;
  const text = `${RUN_TYPESCRIPT}import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}'${secret} });${key === undefined ? ' // the key is in OPENAI_API_KEY' : ''}
const completion = await client.chat.completions.create({
${lines.join('\n')}
});
console.log(completion.choices[0].message);`;
  return { name: 'TypeScript', text };
}

function python({ base, key }: Access, members: Members): Snippet {
  const lines = Object.entries(members).map(([name, value]) => `    ${name}=${spaced(value)},`);
  const secret = key === undefined ? '' : `, api_key="${key}"`;
  const text = `# pip install openai, save this as hello.py, then: python3 hello.py
from openai import OpenAI

client = OpenAI(base_url="${base}"${secret})${key === undefined ? '  # the key is in OPENAI_API_KEY' : ''}
completion = client.chat.completions.create(
${lines.join('\n')}
)
print(completion.choices[0].message)`;
  return { name: 'Python', text };
}

/** JSON with a space behind each colon and comma; valid in all three languages, without apostrophes. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).replaceAll("'", '\\u0027');
  return `{${Object.entries(value)
    .map(([name, each]) => `"${name}": ${spaced(each)}`)
    .join(', ')}}`;
}
