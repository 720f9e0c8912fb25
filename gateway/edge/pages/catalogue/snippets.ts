import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import type { CatalogueModel } from '../../../catalogue/models.ts';
import { type Html, html } from '../html.ts';

interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** Members of a request, by name. */
type Members = Readonly<Record<string, unknown>>;

/** Requests to paste, in the languages of the common SDKs. `base` is the address of the API. */
export function snippets({ id, endpoints }: CatalogueModel, base: string): Html {
  const parts = snippetsFor(id, endpoints, base).map(({ name, text }, at) => {
    const target = `snippet-${at}`;
    return html`<details${at === 0 && html` open`}><summary>${name}</summary>
<div class="snippet"><pre class="scroll" id="${target}" tabindex="0">${text}</pre><button class="second small" type="button" data-copy="${target}" hidden>Copy</button></div></details>`;
  });
  return html`<div class="snippets">${parts}</div>`;
}

function snippetsFor(model: string, endpoints: readonly Endpoint[], base: string): readonly Snippet[] {
  const writes = new Set(endpoints.flatMap(({ outputModalities }) => outputModalities));
  if (writes.has('video')) return [curl(`${base}/videos`, { model, prompt: 'A river in the morning' })];
  if (writes.has('image')) return [curl(`${base}/images/generations`, { model, prompt: 'A river in the morning' })];
  if (writes.has('embeddings')) return [curl(`${base}/embeddings`, { model, input: ['A river in the morning'] })];
  const chat = (content: string, more: Members = {}): Members => ({
    ...{ model, messages: [{ role: 'user', content }] },
    ...more,
  });
  const url = `${base}/chat/completions`;
  const voice = endpoints.flatMap(({ envelopes }) => envelopes.speech?.voices ?? [])[0];
  const members =
    writes.has('audio') && voice !== undefined
      ? chat('Say hello', { modalities: ['text', 'audio'], audio: { voice, format: 'wav' } })
      : chat('Hello');
  return [curl(url, members), typeScript(base, members), python(base, members)];
}

function curl(url: string, members: Members): Snippet {
  const lines = Object.entries(members).map(([name, value]) => `    "${name}": ${spaced(value)}`);
  const text = `curl ${url} \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
${lines.join(',\n')}
  }'`;
  return { name: 'curl', text };
}

function typeScript(base: string, members: Members): Snippet {
  const lines = Object.entries(members).map(([name, value]) => `  ${name}: ${spaced(value)},`);
  const text = `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}' }); // the key is in OPENAI_API_KEY
const completion = await client.chat.completions.create({
${lines.join('\n')}
});
console.log(completion.choices[0].message);`;
  return { name: 'TypeScript', text };
}

function python(base: string, members: Members): Snippet {
  const lines = Object.entries(members).map(([name, value]) => `    ${name}=${spaced(value)},`);
  const text = `from openai import OpenAI

client = OpenAI(base_url="${base}")  # the key is in OPENAI_API_KEY
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
