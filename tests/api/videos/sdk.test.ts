import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { OpenRouter } from '@openrouter/sdk';
import type { VideoGenerationRequest, VideoGenerationResponse } from '@openrouter/sdk/models';
import * as errors from '@openrouter/sdk/models/errors';
import { experimental_generateVideo as generateVideo } from 'ai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { ffprobe } from '../../support/video/ffprobe.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);
const POLL_MS = 200;

const { cluster, funded, send } = await openApi(test, openCluster);
let client: OpenRouter;

test.before(async () => {
  client = new OpenRouter({
    apiKey: funded.key,
    serverURL: cluster.baseUrls[0] as string,
    retryConfig: { strategy: 'none' },
  });
});

/** Polls a job to its end; the bound of the test is the bound of the wait. */
async function ended(request: VideoGenerationRequest): Promise<VideoGenerationResponse> {
  let job = await client.videoGeneration.generate({ videoGenerationRequest: request });
  assert.is(job.status, 'pending');
  while (job.status === 'pending' || job.status === 'in_progress') {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    job = await client.videoGeneration.getGeneration({ jobId: job.id });
  }
  return job;
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

it('the OpenRouter SDK lists the models, renders a clip and downloads it', async () => {
  const { data } = await client.videoGeneration.listVideosModels();
  const film = data.find(({ id }) => id === 'sim/filmstrip');
  assert.equal(film?.supportedResolutions, ['480p', '720p', '1080p']);
  assert.equal([film?.generateAudio, film?.seed], [true, true]);
  assert.is(film?.pricingSkus?.duration_seconds_1080p, '0.05');
  const job = await ended({
    model: 'sim/filmstrip',
    prompt: 'a lake',
    duration: 2,
    resolution: '480p',
    aspectRatio: '16:9',
    generateAudio: true,
  });
  assert.is(job.status, 'completed');
  const content = await client.videoGeneration.getVideoContent({ jobId: job.id, index: 0 });
  const clip = await ffprobe(await bytesOf(content));
  assert.equal([clip.width, clip.height, clip.audio], [854, 480, true]);
  assert.is(clip.errors, '');
  // The exact charge: the rate of 480p with sound, times the measured seconds.
  const { clip_durations_seconds: seconds = [] } = (await (await read(`/videos/${job.id}`)).json()) as {
    clip_durations_seconds?: number[];
  };
  assert.ok(Math.abs((seconds[0] ?? 0) - Number(clip.seconds)) <= 1 / 24);
  assert.is(job.usage?.cost, Number(((seconds[0] ?? 0) * 0.03).toFixed(12)));
});

function read(path: string): Promise<Response> {
  return send(path);
}

it('the OpenRouter SDK receives its own classes for refusals', async () => {
  const failure = async (request: VideoGenerationRequest): Promise<unknown> =>
    client.videoGeneration.generate({ videoGenerationRequest: request }).catch((error: unknown) => error);
  assert.instance(await failure({ model: 'sim/fast', prompt: 'x' }), errors.NotFoundResponseError);
  assert.instance(await failure({ model: 'sim/flipbook', prompt: 'x', size: 'large' }), errors.BadRequestResponseError);
});

it('the AI SDK renders a clip with its video model', async () => {
  const origin = new URL(cluster.baseUrls[0] as string).origin;
  // Content is named by its path, which the AI SDK resolves against nothing.
  const absolute: typeof fetch = async (...call) => {
    const answer = await fetch(...call);
    const text = (await answer.text()).replaceAll('"/api/v1/videos/', `"${origin}/api/v1/videos/`);
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
  const provider = createOpenRouter({ apiKey: funded.key, baseURL: cluster.baseUrls[0] as string, fetch: absolute });
  const { video, providerMetadata } = await generateVideo({
    model: provider.videoModel('sim/flipbook', { pollIntervalMs: POLL_MS, generateAudio: false }),
    prompt: 'a lake',
    ...{ duration: 2, resolution: '1280x720', seed: 7 },
    download: async ({ url }) => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${funded.key}` } });
      return {
        data: new Uint8Array(await answer.arrayBuffer()),
        mediaType: answer.headers.get('content-type') ?? undefined,
      };
    },
  });
  const clip = await ffprobe(Buffer.from(video.uint8Array));
  assert.equal([clip.width, clip.height, clip.audio], [1280, 720, false]);
  assert.is(video.mediaType, 'video/mp4');
  assert.ok(Number(providerMetadata.openrouter?.cost) > 0);
});

test.run();
