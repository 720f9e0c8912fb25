import type { TurnDialect } from '../../../actors/terms/endpoint.ts';
import type { DeclaredWire, PresetName } from './wire-schema.ts';

/** One provider or server as its documentation describes it. */
export interface Preset {
  readonly title: string;
  /** Base address; null where each operator has an own one. */
  readonly baseUrl: string | null;
  /** The form of such an own address. */
  readonly example?: string;
  readonly dialect: TurnDialect;
  readonly wire: Omit<DeclaredWire, 'preset'>;
  /** What of this row was found, each with its kind of source. */
  readonly verified: string;
  /** What only a call with a key can confirm. */
  readonly unverified: string;
}

/** The form that most providers with a switch of their own share. */
const THINKING = { path: 'thinking.type', on: 'enabled', off: 'disabled' };
/** Models that reason refuse settings of sampling, except where they are asked not to reason. */
const UNSAMPLED = [
  ['reasoning', 'temperature'],
  ['reasoning', 'top_p'],
  ['reasoning', 'logprobs'],
];
/** Servers that render the chat template of the model's authors. */
const TEMPLATE = { path: 'chat_template_kwargs.enable_thinking', on: true, off: false };

/** What is known of each provider. Every member may be overridden, at the provider and at each of its models. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  deepseek: {
    title: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'reasoning_content', thinking_switch: THINKING },
    verified:
      'documentation: thinking.type, on by default; in a turn with tools reasoning_content of every earlier answer goes back, else 400. Its AI SDK package and reports: a blank one is accepted; the role developer is refused',
    unverified: 'that user and messages[].name are accepted; which tool_choice thinking accepts',
  },
  groq: {
    title: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'auto', omit: ['messages.name', 'messages.refusal', 'messages.reasoning_details'] },
    verified:
      'documentation: messages[].name and logprobs are refused. Its client: reasoning of messages, for models that reason; no refusal. Reports: other models refuse reasoning',
    unverified: 'which models reason: declare reasoning for those alone',
  },
  mistral: {
    title: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    dialect: 'chat',
    wire: {
      rename: { seed: 'random_seed', dimensions: 'output_dimension' },
      omit: ['stream_options', 'user', 'messages.name', 'messages.refusal'],
      reasoning_history: 'parts',
      tool_id: '[A-Za-z0-9]{9}',
    },
    verified:
      'documentation: random_seed, output_dimension, thinking parts. Its client: neither user nor stream_options, nor name of a user. Reports: unknown members are 422 (max_completion_tokens too), ids have nine characters, usage comes unasked',
    unverified: 'whether stream_options is still refused; that models without reasoning accept thinking parts',
  },
  moonshot: {
    title: 'Moonshot AI',
    baseUrl: 'https://api.moonshot.ai/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'reasoning_content', thinking_switch: THINKING },
    verified:
      'documentation: thinking.type of K2.5. Its AI SDK package: K2.7 cannot be switched off and K3 takes no thinking (declare thinking_switch without values there). Reports: reasoning_content goes back in tool loops, else 400; a blank is accepted',
    unverified: 'the fixed settings of sampling of each Kimi model: declare none of them',
  },
  zai: {
    title: 'Z.ai',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    dialect: 'chat',
    wire: { reasoning_history: 'reasoning_content', thinking_switch: THINKING },
    verified:
      'documentation: thinking.type; reasoning_content goes back with the results of tools, that of earlier turns is read only with thinking.clear_thinking false. Code of others: /models',
    unverified: 'whether messages[].name and stream_options are ignored or refused',
  },
  xai: {
    title: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'none' },
    verified:
      'documentation: chat completions are deprecated and drop earlier reasoning; with dialect responses it goes back encrypted. Its AI SDK package: reasoning_content in answers, none in messages',
    unverified: 'that responses takes instructions: omit them else',
  },
  together: {
    title: 'Together AI',
    baseUrl: 'https://api.together.ai/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'auto', thinking_switch: { path: 'reasoning.enabled', on: true, off: false } },
    verified:
      'documentation: the address; reasoning.enabled of hybrid models, others cannot be switched off. Its client: answers and messages have reasoning or reasoning_content; /models answers a bare list',
    unverified: 'that every model reads its reasoning when it goes back',
  },
  fireworks: {
    title: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'reasoning_content' },
    verified:
      'documentation: reasoning_content in answers and messages; reasoning_effort (none among its levels) or thinking',
    unverified: 'which models keep earlier reasoning by themselves (reasoning_history)',
  },
  cerebras: {
    title: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'reasoning', omit: ['messages.refusal', 'messages.reasoning_details'] },
    verified:
      'documentation: reasoning of answers. Its client: reasoning of messages, names in every role, no refusal; reasoning_effort none. Reports: unknown members are refused, reasoning_content and enable_thinking among them',
    unverified: 'that a model without reasoning accepts it; which models take effort none',
  },
  openrouter: {
    title: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    dialect: 'chat',
    wire: {
      reasoning_history: 'details',
      thinking_switch: { path: 'reasoning.enabled', on: true, off: false },
      cache_control: true,
    },
    verified:
      'documentation: reasoning_details go back unchanged; reasoning.enabled. Its client: cache_control on parts and tools; refusal and name of messages',
    unverified: 'what each provider behind it does with them',
  },
  ollama: {
    title: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434',
    dialect: 'ollama',
    wire: {},
    verified:
      'the types of its client and server: options, think, thinking of messages, tool_name, format, counts; needs no key, its cloud (https://ollama.com) a bearer token',
    unverified: 'which templates read earlier thinking; that the cloud obeys num_ctx',
  },
  vllm: {
    title: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'auto', thinking_switch: TEMPLATE },
    verified:
      'documentation: port 8000, chat_template_kwargs.enable_thinking; answers have reasoning, before reasoning_content. Reports: both are read in messages',
    unverified: 'the switch of a template that has another name for it (thinking of DeepSeek and Granite)',
  },
  sglang: {
    title: 'SGLang',
    baseUrl: 'http://127.0.0.1:30000/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'reasoning_content', thinking_switch: TEMPLATE },
    verified:
      'documentation: port 30000, chat_template_kwargs.enable_thinking, reasoning_content in answers. Its source: in messages too',
    unverified: 'the switch of a template that has another name for it (thinking of DeepSeek)',
  },
  llamacpp: {
    title: 'llama.cpp server',
    baseUrl: 'http://127.0.0.1:8080/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'reasoning_content', thinking_switch: TEMPLATE },
    verified:
      'its documentation: port 8080, chat_template_kwargs.enable_thinking, reasoning_content in answers. Its source: in messages too',
    unverified: 'the switch of a template that has another name for it',
  },
  azure: {
    title: 'Azure OpenAI',
    baseUrl: null,
    example: 'https://RESOURCE.openai.azure.com/openai/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'none', exclusive: UNSAMPLED, credential: 'api-key' },
    verified:
      'documentation: the header api-key; the v1 address needs no api-version, older ones declare it as query; dialect responses below the same address',
    unverified: 'that /models lists the deployments of the resource; safety_identifier with responses',
  },
  openai: {
    title: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    dialect: 'chat',
    wire: { reasoning_history: 'none', exclusive: UNSAMPLED },
    verified:
      'the types of its client: chat completions neither show nor take reasoning, dialect responses does both. Documentation: a model that reasons takes no temperature',
    unverified: 'summaries of reasoning without a verified organisation: omit reasoning.summary',
  },
  anthropic: {
    title: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    dialect: 'messages',
    wire: { exclusive: [['temperature', 'top_p']] },
    verified:
      'documentation: x-api-key, anthropic-version; /models answers {"data": [{"id"}]}. Reports: from Opus 4.1 on temperature beside top_p is refused, from Opus 4.7 and Sonnet 5 on each of temperature, top_p and top_k (declare none there)',
    unverified: 'which anthropic-beta a model still needs',
  },
  google: {
    title: 'Google AI Studio',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    dialect: 'gemini',
    wire: {},
    verified:
      'the types of its client: generateContent, thought signatures and their stand-in, JSON schemas of tools, embeddings; /models answers {"models": [{"name"}]}',
    unverified: 'whether a model before Gemini 3 takes JSON beside tools; that it serves the model on Vertex the same',
  },
  bedrock: {
    title: 'Amazon Bedrock',
    baseUrl: null,
    example: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    dialect: 'bedrock',
    wire: {},
    verified: 'the types of its client: Converse and ConverseStream, their event stream, signature version 4',
    unverified: 'which models take cache points (declare cache_control), and reasoning other than that of Claude',
  },
  cohere: {
    title: 'Cohere',
    baseUrl: 'https://api.cohere.com',
    dialect: 'cohere',
    wire: {},
    verified:
      'the types of its client: v2/chat and v2/embed, thinking with a budget, tool_plan, citations, billed tokens',
    unverified: 'that a plan and thinking are read when they go back, and strict tools without a required parameter',
  },
  perplexity: {
    title: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai/v1',
    dialect: 'responses',
    wire: { omit: ['include', 'reasoning.summary', 'safety_identifier', 'prompt_cache_key'] },
    verified:
      'documentation: the address. Reports: its chat completions (Sonar) have ended and are 403. Its client: calls with their results, and reasoning, go back; neither include, summary, tool_choice, text nor a user. Code of others: /models',
    unverified:
      'whether members that its client lacks are refused or ignored: omit parallel_tool_calls else, and declare no response_format',
  },
  dashscope: {
    title: 'Alibaba Cloud Model Studio',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    dialect: 'chat',
    wire: {
      reasoning_history: 'reasoning_content',
      thinking_switch: { path: 'enable_thinking', on: true, off: false },
      cache_control: true,
    },
    verified:
      'documentation: enable_thinking; cache_control on parts. Its AI SDK package: the address; reasoning_content goes back in tool loops, that of earlier turns is read only with preserve_thinking. Code of others: /models',
    unverified: 'cache_control on tools; the members of its other regions',
  },
  minimax: {
    title: 'MiniMax',
    baseUrl: 'https://api.minimax.io/anthropic/v1',
    dialect: 'messages',
    wire: {},
    verified:
      'documentation: the address in the form of Anthropic, with the key of its client (x-api-key); thinking blocks go back whole; its list of models',
    unverified: 'which members are ignored',
  },
};
