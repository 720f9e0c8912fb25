import { SIGNED_CALL } from '../wires/chat-wire.ts';
import { geminiFailure } from '../wires/gemini-wire.ts';
import type { StrictRefusal } from './strict-provider.ts';

/**
 * The published rules of `generateContent`, as the newest models enforce them: each refused request is a 400 in the
 * provider's wording.
 */

type Members = Readonly<Record<string, unknown>>;

interface Part {
  readonly text?: unknown;
  readonly functionCall?: { readonly name?: string; readonly args?: unknown };
  readonly functionResponse?: { readonly name?: string; readonly response?: unknown };
  readonly thoughtSignature?: unknown;
}

interface Content {
  readonly role: unknown;
  readonly parts: readonly Part[];
}

const ROOT = [
  'contents',
  'systemInstruction',
  'generationConfig',
  'tools',
  'toolConfig',
  'safetySettings',
  'cachedContent',
  'labels',
  'model',
];
const PART = [
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'mediaResolution',
  'videoMetadata',
];
const CONFIG = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'imageConfig',
  'speechConfig',
  'mediaResolution',
  'thinkingConfig',
];
const INNER: Readonly<Record<string, readonly string[]>> = {
  inlineData: ['mimeType', 'data'],
  fileData: ['mimeType', 'fileUri'],
  functionCall: ['id', 'name', 'args'],
  functionResponse: ['id', 'name', 'response', 'parts', 'scheduling', 'willContinue'],
};
const DECLARATION = [
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
  'behavior',
];
const MODES = ['AUTO', 'ANY', 'NONE', 'VALIDATED'];
const LEVELS = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
/** Accepted in the place of the signature of a call that another model made. */
const UNSIGNED = 'skip_thought_signature_validator';

class Refusal extends Error {}

/** How the provider refuses a request; null for one that it answers. */
export function geminiRefusal(body: Members): StrictRefusal | null {
  try {
    if (EMBEDDING.some((name) => name in body)) return checkEmbedding(body);
    onlyKnown(body, ROOT, '');
    const contents = contentsOf(body);
    contents.forEach(checkParts);
    checkOrder(contents);
    checkSignatures(contents);
    checkConfig(membersOf(body.generationConfig));
    checkTools(body);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return { status: 400, body: geminiFailure(400, error.message) };
    throw error;
  }
}

/** The member of each method that embeds. */
const EMBEDDING = ['requests', 'instances', 'embedContentConfig'];
const EMBEDS = ['model', 'content', 'taskType', 'title', 'outputDimensionality'];
const INSTANCES_MAX = 250;

function checkEmbedding({
  requests = [],
  instances = [],
  parameters,
  embedContentConfig,
  content,
  ...more
}: Members): null {
  onlyKnown(more, [], '');
  for (const [at, one] of (requests as readonly Members[]).entries()) onlyKnown(one, EMBEDS, `requests[${at}]`);
  const inputs = instances as readonly Members[];
  if (inputs.length > INSTANCES_MAX) refuse(`${inputs.length} instance(s) is not allowed, at most ${INSTANCES_MAX}.`);
  for (const [at, one] of inputs.entries()) {
    onlyKnown(one, ['content', 'task_type', 'title', 'mimeType'], `instances[${at}]`);
  }
  onlyKnown(membersOf(parameters), ['outputDimensionality', 'autoTruncate'], 'parameters');
  onlyKnown(membersOf(embedContentConfig), ['taskType', 'title', 'outputDimensionality', 'autoTruncate'], 'config');
  onlyKnown(membersOf(content), ['role', 'parts'], 'content');
  return null;
}

function refuse(message: string): never {
  throw new Refusal(message);
}

function contentsOf({ contents }: Members): readonly Content[] {
  if (!Array.isArray(contents) || contents.length === 0) {
    refuse('* GenerateContentRequest.contents: contents is not specified\n');
  }
  return contents.map((content: unknown, at): Content => {
    const { role = 'user', parts, ...more } = membersOf(content);
    onlyKnown(more, [], `contents[${at}]`);
    if (role !== 'user' && role !== 'model') refuse('Please use a valid role: user, model.');
    if (!Array.isArray(parts) || parts.length === 0) {
      refuse(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`);
    }
    return { role, parts };
  });
}

function checkParts({ parts }: Content, at: number): void {
  parts.forEach((part, nth) => {
    const path = `contents[${at}].parts[${nth}]`;
    onlyKnown(part as Members, PART, path);
    for (const [name, known] of Object.entries(INNER)) {
      const inner = (part as Members)[name];
      if (inner !== undefined) onlyKnown(membersOf(inner), known, `${path}.${name}`);
    }
    const { functionCall: call, functionResponse: result } = part;
    if (call !== undefined && !isObject(call.args ?? {}))
      refuse(`Invalid value at '${path}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`);
    if (result === undefined) return;
    if (!result.name) refuse(`* GenerateContentRequest.${path}.function_response.name: Name cannot be empty.\n`);
    if (!isObject(result.response))
      refuse(`Invalid value at '${path}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`);
  });
}

function checkOrder(contents: readonly Content[]): void {
  contents.forEach(({ role, parts }, at) => {
    const calls = parts.filter(({ functionCall }) => functionCall);
    if (calls.length === 0) return;
    if (role !== 'model' || contents[at - 1]?.role !== 'user') {
      refuse(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    const next = contents[at + 1]?.parts ?? [];
    if (next.filter(({ functionResponse }) => functionResponse).length !== calls.length) {
      refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    }
  });
}

/** The first call of each step since the user spoke last has a signature, and no other one than its own. */
function checkSignatures(contents: readonly Content[]): void {
  const spoken = contents.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ functionResponse }) => !functionResponse),
  );
  contents.forEach(({ parts }, at) => {
    for (const { thoughtSignature } of parts) {
      if (thoughtSignature === undefined || thoughtSignature === SIGNED_CALL || thoughtSignature === UNSIGNED) continue;
      refuse('Corrupted thought signature.');
    }
    const call = parts.find(({ functionCall }) => functionCall);
    if (at <= spoken || call === undefined || call.thoughtSignature !== undefined) return;
    refuse(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.functionCall?.name}\`, position ${at + 1}.`,
    );
  });
}

function checkConfig(config: Members): void {
  onlyKnown(config, CONFIG, 'generation_config');
  const { thinkingConfig, responseJsonSchema, responseSchema, responseMimeType, stopSequences = [] } = config;
  const { thinkingBudget, thinkingLevel, ...more } = membersOf(thinkingConfig);
  onlyKnown(more, ['includeThoughts'], 'generation_config.thinking_config');
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    refuse('You can only set only one of thinking budget and thinking level.');
  }
  if (thinkingLevel !== undefined && !LEVELS.includes(thinkingLevel as string)) {
    refuse(
      `Invalid value at 'generation_config.thinking_config.thinking_level' (type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingConfig.ThinkingLevel), "${thinkingLevel}"`,
    );
  }
  const schema = responseJsonSchema ?? responseSchema;
  if (schema !== undefined && responseMimeType !== 'application/json') {
    refuse(
      '* GenerateContentRequest.generation_config.response_mime_type: response schema requires a JSON mime type.\n',
    );
  }
  checkSchema(schema, 'generation_config.response_json_schema');
  if ((stopSequences as readonly string[]).length > 5) {
    refuse(
      '* GenerateContentRequest.generation_config.stop_sequences: the number of stop sequences must be at most 5.\n',
    );
  }
}

function checkTools({ tools = [], toolConfig }: Members): void {
  const declared = (tools as readonly Members[]).flatMap(
    ({ functionDeclarations = [] }) => functionDeclarations as Members[],
  );
  declared.forEach((declaration, at) => {
    const path = `tools[0].function_declarations[${at}]`;
    onlyKnown(declaration, DECLARATION, path);
    if (!NAME.test(String(declaration.name))) {
      refuse(
        `* GenerateContentRequest.${path}.name: Invalid function name. Must start with a letter or an underscore.\n`,
      );
    }
    checkSchema(declaration.parametersJsonSchema, `${path}.parameters_json_schema`);
  });
  if (toolConfig === undefined) return;
  const { functionCallingConfig, ...more } = membersOf(toolConfig);
  onlyKnown(more, ['retrievalConfig'], 'tool_config');
  const { mode, allowedFunctionNames: names, ...further } = membersOf(functionCallingConfig);
  onlyKnown(further, ['streamFunctionCallArguments'], 'tool_config.function_calling_config');
  if (!MODES.includes(mode as string)) refuse(`Invalid value at 'tool_config.function_calling_config.mode', "${mode}"`);
  if (declared.length === 0) refuse('Function calling config is set without function_declarations.');
  if (names !== undefined && mode !== 'ANY' && mode !== 'VALIDATED') {
    refuse('Function calling config: allowed_function_names is only supported in ANY mode.');
  }
}

/** A reference has no other members. */
function checkSchema(schema: unknown, path: string): void {
  if (Array.isArray(schema)) {
    schema.forEach((inner, at) => {
      checkSchema(inner, `${path}[${at}]`);
    });
  }
  if (!isObject(schema)) return;
  const names = Object.keys(schema);
  if ('$ref' in schema && names.some((name) => !name.startsWith('$'))) {
    refuse(`* GenerateContentRequest.${path}: a schema with $ref can only have fields that start with $.\n`);
  }
  for (const [name, inner] of Object.entries(schema)) checkSchema(inner, `${path}.${name}`);
}

function onlyKnown(members: Members, known: readonly string[], path: string): void {
  const strange = Object.keys(members).find((name) => !known.includes(name));
  if (strange === undefined) return;
  const place = path === '' ? '' : ` at '${path}'`;
  refuse(`Invalid JSON payload received. Unknown name "${strange}"${place}: Cannot find field.`);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}
