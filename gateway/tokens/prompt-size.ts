import type { PromptContents } from './prompt-contents.ts';

/** Size of a prompt, or of a part of one, by one vocabulary. Sizes add up (`addSize`). */
export interface PromptSize {
  /** UTF-8 bytes of its text, and the tokens of it. */
  readonly bytes: number;
  readonly textTokens: number;
  /** What holds allow for and nobody is charged for: provider options, and what templates put between parts. */
  readonly heldOnlyTokens: number;
  readonly messages: number;
  readonly tools: number;
  /** Tokens of images, audio, video and documents, and of inputs that are token ids. */
  readonly mediaCounted: number;
  readonly mediaBound: number;
}

/** The sizes of a turn's messages, in order, and of its declarations. */
export interface TurnSizes {
  readonly messages: readonly PromptSize[];
  readonly declarations: PromptSize;
}

/** `textTokens` are the tokens of all its texts. */
export function sizeOf(contents: PromptContents, bytes: number, textTokens: number): PromptSize {
  const { heldOnlyTokens, messages, tools, mediaCounted, mediaBound } = contents;
  return { bytes, textTokens, heldOnlyTokens, messages, tools, mediaCounted, mediaBound };
}

export function addSize(a: PromptSize, b: PromptSize): PromptSize {
  return {
    bytes: a.bytes + b.bytes,
    textTokens: a.textTokens + b.textTokens,
    heldOnlyTokens: a.heldOnlyTokens + b.heldOnlyTokens,
    messages: a.messages + b.messages,
    tools: a.tools + b.tools,
    mediaCounted: a.mediaCounted + b.mediaCounted,
    mediaBound: a.mediaBound + b.mediaBound,
  };
}

/** The size of a whole prompt. */
export function totalSize({ messages, declarations }: TurnSizes): PromptSize {
  return messages.reduce(addSize, declarations);
}
