import { type ByteAccess, openValue, type Random, sealValue } from '../../../actors/runtime/index.ts';
import { placeOfPrompt } from '../../../actors/video-job/clips.ts';
import type { RenderAsk, SealedText } from '../../../actors/video-job/render-ask.ts';
import { byteFailure } from '../../files/byte-failure.ts';
import type { FileServices } from '../../files/file-services.ts';

/** Names the job of a prompt. */
interface PromptOwner {
  readonly account: string;
  readonly job: string;
}

/**
 * Seals the prompt of a job under the key of this hour: state, rows and activity records never hold its text. Rejects
 * with GatewayError 503 while the key store is out of reach. (rule B51, rule V13)
 */
export async function sealPrompt(
  { bytes, random }: { readonly bytes: Pick<FileServices['bytes'], 'keys'>; readonly random: Random },
  { account, job }: PromptOwner,
  prompt: string | null,
): Promise<SealedText | null> {
  if (prompt === null) return null;
  try {
    const key = await bytes.keys.current();
    const sealed = sealValue(key, placeOfPrompt(account, job), Buffer.from(prompt), random);
    return { sealed: sealed.toString('base64') };
  } catch (thrown) {
    throw byteFailure(thrown);
  }
}

/** The text for the endpoint. Rejects with KeyDestroyed or SealBroken where it is lost, or with KeyStoreUnreachable. */
export async function openPrompt(
  keys: ByteAccess['keys'],
  { account, job }: PromptOwner,
  prompt: RenderAsk['prompt'],
): Promise<string | null> {
  if (prompt === null) return null;
  return (await openValue(keys, placeOfPrompt(account, job), Buffer.from(prompt.sealed, 'base64'))).toString();
}
