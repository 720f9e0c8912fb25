import { type ConverseBody, messagesBodyOf } from '../wires/converse-request.ts';
import { type MessagesModel, refusalOf } from './messages-rules.ts';

type Members = Readonly<Record<string, unknown>>;

const ROOT: readonly string[] = [
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'outputConfig',
  'additionalModelRequestFields',
  'additionalModelResponseFieldPaths',
  'guardrailConfig',
  'performanceConfig',
  'promptVariables',
  'requestMetadata',
  'serviceTier',
];
const BLOCKS: readonly string[] = [
  'text',
  'image',
  'document',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'cachePoint',
];
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^[a-zA-Z0-9()[\]-]+( [a-zA-Z0-9()[\]-]+)*$/;

/**
 * The message with which the service refuses a Converse request to a model of Claude; null for one that it answers. What
 * it has in common with the messages dialect is judged there. `isSigned` knows the signatures that this provider made.
 */
export function converseRefusalOf(
  body: Members,
  model: MessagesModel,
  isSigned: (text: unknown) => boolean,
): string | null {
  const unknown = Object.keys(body).find((name) => !ROOT.includes(name));
  if (unknown !== undefined) return `Malformed input request: extraneous key [${unknown}] is not permitted`;
  const converse = body as unknown as ConverseBody;
  for (const { role, content } of converse.messages) {
    const refusal = contentRefusal(role, content);
    if (refusal !== null) return refusal;
  }
  const blocks = converse.messages.flatMap(({ content }) => content);
  if (converse.toolConfig === undefined && blocks.some((block) => 'toolUse' in block || 'toolResult' in block)) {
    return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
  }
  return refusalOf({ ...messagesBodyOf(converse), model: 'claude' }, model, isSigned);
}

function contentRefusal(role: string, content: readonly Members[]): string | null {
  const unknown = content.flatMap(Object.keys).find((name) => !BLOCKS.includes(name));
  if (unknown !== undefined) return `Malformed input request: extraneous key [${unknown}] is not permitted`;
  if (content.some(({ text }) => typeof text === 'string' && text.trim() === '')) {
    return 'The text field in the ContentBlock object is blank. Add text to the text field, and try again.';
  }
  const ids = content.flatMap(({ toolUse, toolResult }) => [toolUse, toolResult] as (Members | undefined)[]);
  if (ids.some((block) => block !== undefined && !CALL_ID.test(String(block.toolUseId)))) {
    return 'Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+';
  }
  const documents = content.flatMap(({ document }) => (document === undefined ? [] : [document as Members]));
  if (documents.some(({ name }) => !DOCUMENT_NAME.test(String(name)))) {
    return 'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.';
  }
  if (role === 'user' && documents.length > 0 && !content.some(({ text }) => text !== undefined)) {
    return 'A text block is required with a document block.';
  }
  return null;
}
