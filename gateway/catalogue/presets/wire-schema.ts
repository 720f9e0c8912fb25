/** The form of `wire`, the same in a models document and at a provider in the configuration. */
import { type Static, Type } from 'typebox';
import { CREDENTIAL_FORMS, REASONING_HISTORIES } from '../../../actors/terms/wire.ts';

/** Providers and servers whose declaration is known, each a row of the table of presets. */
const PRESET_NAMES = [
  'deepseek',
  'groq',
  'mistral',
  'moonshot',
  'zai',
  'xai',
  'together',
  'fireworks',
  'cerebras',
  'openrouter',
  'ollama',
  'vllm',
  'sglang',
  'llamacpp',
  'azure',
  'openai',
  'anthropic',
  'google',
  'bedrock',
  'cohere',
  'perplexity',
  'dashscope',
  'minimax',
] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

const ENTRIES_MAX = 64;
const VALUE_CHARS_MAX = 1_024;

const closed = { additionalProperties: false } as const;
const MEMBER = '[A-Za-z][A-Za-z0-9_.:-]{0,127}';
const member = Type.String({ pattern: `^${MEMBER}$`, description: 'the name of a member such as seed' });

function oneOf<const T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>(Type.String({ enum: values, description: `one of ${values.join(', ')}` }));
}

function texts(name: string, value: ReturnType<typeof Type.String>, description: string) {
  return Type.Record(Type.String({ pattern: name }), value, { ...closed, maxProperties: ENTRIES_MAX, description });
}

const scalar = Type.Union([Type.String({ maxLength: VALUE_CHARS_MAX }), Type.Number(), Type.Boolean()], {
  description: 'text, a number, true or false',
});
const position = Type.Union(
  [scalar, Type.Record(Type.String({ pattern: `^${MEMBER}$` }), scalar, { ...closed, maxProperties: ENTRIES_MAX })],
  { description: 'text, a number, true, false, or an object of these such as {"type": "disabled"}' },
);
/** Visible ASCII and blanks between: nothing that could end a header. */
const headerValue = Type.String({
  pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
  maxLength: VALUE_CHARS_MAX,
  description: 'visible ASCII text',
});

export const presetSchema = oneOf(PRESET_NAMES);

export const wireSchema = Type.Object(
  {
    preset: Type.Optional(presetSchema),
    rename: Type.Optional(texts(`^${MEMBER}$`, member, 'names by name, such as {"seed": "random_seed"}')),
    omit: Type.Optional(
      Type.Array(member, { maxItems: ENTRIES_MAX, description: 'a list of members, such as ["stream_options"]' }),
    ),
    exclusive: Type.Optional(
      Type.Array(Type.Array(member, { minItems: 2, maxItems: ENTRIES_MAX }), {
        maxItems: ENTRIES_MAX,
        description: 'groups of settings of which one is sent, such as [["temperature", "top_p"]]',
      }),
    ),
    thinking_switch: Type.Optional(
      Type.Object(
        {
          path: Type.String({
            pattern: '^[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z_][A-Za-z0-9_-]*){0,3}$',
            maxLength: 256,
            description: 'a path of members such as chat_template_kwargs.enable_thinking',
          }),
          on: Type.Optional(position),
          off: Type.Optional(position),
        },
        { ...closed, description: 'a path with its values, such as {"path": "think", "off": false}' },
      ),
    ),
    reasoning_history: Type.Optional(oneOf(REASONING_HISTORIES)),
    tool_id: Type.Optional(
      Type.String({
        pattern: '^\\[([A-Za-z0-9_]|[A-Za-z0-9]-[A-Za-z0-9])+-?\\]\\{[1-9][0-9]{0,2}(,[1-9][0-9]{0,2})?\\}$',
        maxLength: 128,
        description: 'characters and a length such as [A-Za-z0-9]{9}',
      }),
    ),
    cache_control: Type.Optional(Type.Boolean({ description: 'true or false' })),
    system_role: Type.Optional(oneOf(['system', 'developer', 'user'])),
    ceiling: Type.Optional(oneOf(['always', 'asked'])),
    headers: Type.Optional(
      texts('^[A-Za-z0-9][A-Za-z0-9-]{0,63}$', headerValue, 'headers, such as {"anthropic-beta": "context-1m"}'),
    ),
    query: Type.Optional(
      texts(
        '^[A-Za-z0-9_.-]{1,64}$',
        Type.String({ maxLength: VALUE_CHARS_MAX, description: 'text' }),
        'parameters of the address, such as {"api-version": "preview"}',
      ),
    ),
    credential: Type.Optional(oneOf(CREDENTIAL_FORMS)),
  },
  { ...closed, description: 'what the provider expects beyond its dialect, such as {"preset": "mistral"}' },
);

export type DeclaredWire = Static<typeof wireSchema>;
