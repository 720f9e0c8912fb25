import type { Adapter } from '../adapter.ts';
import { amazonFrames } from '../framing/amazon-frames.ts';
import { BedrockReader } from './reply-reader.ts';
import { bedrockWriter, leftOut } from './request-body.ts';

/** Amazon Bedrock: Converse and ConverseStream. */
export const bedrockAdapter: Adapter = {
  address: ({ upstreamId }, stream) =>
    `/model/${encodeURIComponent(upstreamId)}/${stream ? 'converse-stream' : 'converse'}`,
  credential: 'aws-signature',
  takesBudget: true,
  leftOut,
  writer: bedrockWriter,
  reader: (makeCallId, note) => new BedrockReader(makeCallId, note),
  framing: amazonFrames,
};
