import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { parseVideo } from '../../../../gateway/jobs/video/parse-video.ts';
import { loopWork } from '../../../../gateway/overload/loop-work.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { VideoRequest } from '../../../../gateway/terms/video-request.ts';
import { MP4_HEAD, PNG, WAV } from '../../../fixtures/assets.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';

const it = bounded(test);
const MIB = 1024 * 1024;

function parse(body: unknown): Promise<VideoRequest> {
  return parseVideo(body, { rules: config.webhooks, loop: loopWork(systemClock) });
}

/** The message of the 400 that refuses a body. */
async function refusal(body: unknown): Promise<string> {
  const { status, type, message } = await failureOf(parse(body), GatewayError);
  assert.equal([status, type], [400, 'invalid_request']);
  return message;
}

const ASK = { model: 'sim/filmstrip', prompt: 'a lake' };

function data(bytes: Uint8Array, type = 'image/png'): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}
function image(role?: unknown, url = data(PNG)): object {
  return { type: 'image_url', image_url: { url }, ...(role === undefined ? {} : { role }) };
}
function frame(frame_type: unknown, url = data(PNG)): object {
  return { type: 'image_url', image_url: { url }, frame_type };
}
/** A PNG of this size: its signature and zeros. */
function sized(bytes: number): string {
  return data(Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]));
}

it('every member is read; frames come ahead of references, in the role that their type names (rule V2)', async () => {
  // rule V2, rule V3
  const request = await parse({
    ...{ ...ASK, duration: 2.5, resolution: '720p', aspect_ratio: '16:9', seed: -7, generate_audio: false },
    input_references: [
      image('edges'),
      { type: 'video_url', video_url: { url: data(MP4_HEAD, 'application/x-lie') }, role: 'seg' },
    ],
    frame_images: [frame('last_frame')],
    callback_url: 'https://hooks.example.com/x?y=1',
    provider: { only: ['sim-v'], max_price: { video_second: 0.05 }, options: { 'sim-v': { motion: 3 } } },
    creativity: 3,
    upscale_factor: 2,
  });
  const { assets, ...rest } = request;
  assert.equal(rest, {
    ...{ model: 'sim/filmstrip', prompt: 'a lake', duration: '2.5', seed: -7, generateAudio: false },
    ...{ size: null, resolution: '720p', aspectRatio: '16:9', callbackUrl: 'https://hooks.example.com/x?y=1' },
    preferences: {
      allowFallbacks: true,
      only: ['sim-v'],
      options: { 'sim-v': { motion: 3 } },
      priceMax: { videoSecond: '0.05' },
    },
    adapters: new Map(),
  });
  assert.equal(
    assets.map(({ kind, role, mediaType, bytes, member }) => [kind, role, mediaType, bytes, member]),
    [
      ['image', 'last_frame', 'image/png', PNG.length, 'frame_images[0].image_url.url'],
      ['image', 'canny', 'image/png', PNG.length, 'input_references[0].image_url.url'],
      // The type is that of the bytes, whatever the URL calls itself.
      ['video', 'segmentation', 'video/mp4', MP4_HEAD.length, 'input_references[1].video_url.url'],
    ],
  );
});

it('absent members are null, explicit nulls count as absent, and an empty prompt is none', async () => {
  const nulls = { duration: null, resolution: null, size: null, seed: null, provider: null, callback_url: null };
  const { assets, preferences, ...rest } = await parse({
    model: 'm/x',
    prompt: '',
    ...nulls,
    frame_images: [frame('first_frame')],
  });
  assert.equal(rest, {
    ...{ model: 'm/x', prompt: null, duration: null, size: null, resolution: null, aspectRatio: null, seed: null },
    ...{ generateAudio: null, callbackUrl: null, adapters: new Map() },
  });
  assert.equal(preferences, { allowFallbacks: true });
  assert.is(assets.length, 1);
  const roles = ['reference', 'canny', 'depth', 'normal', 'openpose', 'segmentation', 'edges', 'pose', 'seg', null];
  const read = await Promise.all(
    roles.map(async (role) => (await parse({ ...ASK, input_references: [image(role)] })).assets[0]?.role),
  );
  assert.equal(read, [
    'reference',
    'canny',
    'depth',
    'normal',
    'openpose',
    'segmentation',
    'canny',
    'openpose',
    'segmentation',
    'reference',
  ]);
});

it('a size is read as pixels, and may stand beside a resolution and a ratio that name the same (rule V2)', async () => {
  assert.equal((await parse({ ...ASK, size: '1280x720' })).size, { width: 1280, height: 720 });
  const both = await parse({ ...ASK, size: '854x480', resolution: '480p', aspect_ratio: '16:9' });
  assert.equal([both.size, both.resolution, both.aspectRatio], [{ width: 854, height: 480 }, '480p', null]);
  const conflict = 'size must agree with resolution and aspect_ratio; name the one or the others';
  assert.is(await refusal({ ...ASK, size: '1280x720', resolution: '1080p' }), conflict);
  assert.is(await refusal({ ...ASK, size: '1280x720', aspect_ratio: '9:16' }), conflict);
  assert.is(await refusal({ ...ASK, size: '1000x1000', resolution: '1K' }), conflict);
});

it('each member out of range is refused by its name and its bound (rule V2)', async () => {
  // rule V2
  const url = 'input_references[0].image_url.url';
  const table: readonly (readonly [object, string])[] = [
    [{ prompt: 'x' }, 'model is required'],
    [{ ...ASK, model: 7 }, 'model must be a string'],
    [{ ...ASK, model: 'm'.repeat(257) }, 'model must have at most 256 characters'],
    [{ model: 'm/x' }, 'prompt is required where frame_images and input_references are absent'],
    [{ ...ASK, prompt: 'x'.repeat(32_769) }, 'prompt must have at most 32768 characters'],
    [{ ...ASK, duration: 0 }, 'duration must be at least 0.001'],
    [{ ...ASK, duration: 5e-324 }, 'duration must be at least 0.001'],
    [{ ...ASK, duration: '4' }, 'duration must be a number'],
    [{ ...ASK, duration: 86_401 }, 'duration must be at most 86400'],
    [
      { ...ASK, resolution: '540p' },
      'resolution must be one of "480p", "720p", "768p", "1080p", "1K", "2K", "4K", not "540p"',
    ],
    [{ ...ASK, aspect_ratio: '16:10' }, '"9:21", not "16:10"'],
    [{ ...ASK, size: '1280X720' }, 'size must be WIDTHxHEIGHT in pixels, not "1280X720"'],
    [{ ...ASK, size: '720p' }, 'size must be WIDTHxHEIGHT in pixels, not "720p"'],
    [{ ...ASK, size: '0x720' }, 'size must be WIDTHxHEIGHT'],
    [{ ...ASK, size: '123456x720' }, 'size must be WIDTHxHEIGHT'],
    [{ ...ASK, seed: 1.5 }, 'seed must be an integer'],
    [{ ...ASK, seed: 2 ** 60 }, 'seed must be at most 9007199254740991'],
    [{ ...ASK, generate_audio: 'yes' }, 'generate_audio must be a boolean'],
    [{ ...ASK, frame_images: {} }, 'frame_images must be an array'],
    [
      { ...ASK, frame_images: [frame('middle')] },
      'frame_images[0].frame_type must be one of "first_frame", "last_frame", not "middle"',
    ],
    [
      { ...ASK, frame_images: [{ ...frame('first_frame'), type: 'video_url' }] },
      'frame_images[0].type must be "image_url"',
    ],
    [
      { ...ASK, frame_images: [{ type: 'image_url', image_url: { url: data(PNG) } }] },
      'frame_images[0].frame_type is required',
    ],
    [
      { ...ASK, input_references: [image('first_frame')] },
      'input_references[0].role must be one of "reference", "canny"',
    ],
    [
      { ...ASK, input_references: [{ type: 'text', text: 'x' }] },
      'input_references[0].type must be one of "image_url", "audio_url", "video_url", not "text"',
    ],
    [
      { ...ASK, input_references: [image(), image(), image(), image()] },
      'frame_images and input_references must have at most 3 items together, not 4',
    ],
    [
      { ...ASK, frame_images: [frame('first_frame'), frame('last_frame')], input_references: [image(), image()] },
      'frame_images and input_references must have at most 3 items together, not 4',
    ],
    [
      { ...ASK, input_references: [image('reference', 'https://example.com/a.png')] },
      `${url} must be a data: URL with the bytes in base64; no URL is fetched`,
    ],
    [{ ...ASK, input_references: [image('reference', 'file:///etc/passwd')] }, `${url} must be a data: URL`],
    [
      { ...ASK, input_references: [image('reference', 'data:image/png,%89PNG')] },
      `${url} must be a data: URL of the form`,
    ],
    [
      { ...ASK, input_references: [image('reference', 'data:image/png;base64,')] },
      `${url} must hold base64 with its padding`,
    ],
    // Node's decoder would drop the foreign characters.
    [
      { ...ASK, input_references: [image('reference', `${data(PNG)}!!!!`)] },
      `${url} must hold base64 with its padding`,
    ],
    [{ ...ASK, input_references: [image('reference', `data:image/png;base64,iVBO\nRw0K`)] }, `${url} must hold base64`],
    [
      { ...ASK, input_references: [image('reference', 'data:image/png;base64,iVBORw0K-_A=')] },
      `${url} must hold base64`,
    ],
    // The bytes decide the type.
    [
      { ...ASK, input_references: [image('reference', data(WAV))] },
      `${url} must hold an image of a known type, not audio/wav`,
    ],
    [
      {
        ...ASK,
        input_references: [
          image('reference', data(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')),
        ],
      },
      `${url} must hold an image of a known type, not `,
    ],
    [
      { ...ASK, input_references: [{ type: 'audio_url', audio_url: { url: data(PNG) } }] },
      'input_references[0].audio_url.url must hold audio of a known type, not image/png',
    ],
    [{ ...ASK, callback_url: 'http://example.com' }, 'callback_url '],
    [{ ...ASK, callback_url: 7 }, 'callback_url must be a string'],
    [{ ...ASK, provider: { only: 'x' } }, 'provider.only must be an array'],
    [{ ...ASK, provider: { max_price: { video_second: -1 } } }, 'provider.max_price.video_second'],
  ];
  for (const [body, message] of table) {
    const given = await refusal(body);
    assert.ok(given.includes(message), `${given} | ${message}`);
  }
  for (const body of [null, [], 'x', 7]) assert.is(await refusal(body), 'The request body must be a JSON object');
});

it('asset budgets are judged by arithmetic on the text: exactly 20 MiB passes, one byte more does not (rule V3)', async () => {
  // rule V3
  const whole = await parse({ ...ASK, input_references: [image('reference', sized(20 * MIB))] });
  assert.is(whole.assets[0]?.bytes, 20 * MIB);
  const url = 'input_references[0].image_url.url';
  const beyond = `must hold at most ${20 * MIB} bytes`;
  assert.is(
    await refusal({ ...ASK, input_references: [image('reference', sized(20 * MIB + 1))] }),
    `${url} ${beyond}, not ${20 * MIB + 1}`,
  );
  assert.is(
    await refusal({
      ...ASK,
      frame_images: [frame('first_frame', sized(10 * MIB))],
      input_references: [image('reference', sized(10 * MIB + 1))],
    }),
    `frame_images and input_references ${beyond} together, not ${20 * MIB + 1}`,
  );
  // The budget is judged before the text is looked at: foreign characters are not even read.
  assert.match(
    await refusal({ ...ASK, input_references: [image('reference', `data:;base64,${'!'.repeat(28 * MIB)}`)] }),
    beyond,
  );
  // A foreign character in the middle of a large text.
  const text = sized(2 * MIB);
  const broken = `${text.slice(0, MIB)}\n${text.slice(MIB + 1)}`;
  assert.is(
    await refusal({ ...ASK, input_references: [image('reference', broken)] }),
    `${url} must hold base64 with its padding`,
  );
  const padded = `${text.slice(0, MIB)}=${text.slice(MIB + 1)}`;
  assert.is(
    await refusal({ ...ASK, input_references: [image('reference', padded)] }),
    `${url} must hold base64 with its padding`,
  );
});

it('adapters are taken out of the options, and need their provider and no fallbacks (rule V8)', async () => {
  // rule V8
  const one = { id: 'ink', revision: '2', strength: 0.5 };
  const chosen = { only: ['sim-v'], allow_fallbacks: false };
  const ask = (adapters: unknown, more: object = chosen) => ({
    ...ASK,
    provider: { ...more, options: { 'sim-v': { adapters, motion: 1 } } },
  });
  const { adapters, preferences } = await parse(ask([one]));
  assert.equal([...adapters], [['sim-v', [one]]]);
  assert.equal(preferences.options, { 'sim-v': { motion: 1 } });
  // An explicit null counts as absent.
  const none = await parse({ ...ASK, provider: { options: { 'sim-v': { adapters: null, motion: 1 } } } });
  assert.equal([none.adapters.size, none.preferences.options], [0, { 'sim-v': { motion: 1 } }]);
  const member = 'provider.options.sim-v.adapters';
  const needs = `${member} needs provider.only and provider.allow_fallbacks: false`;
  const table: readonly (readonly [object, string])[] = [
    [ask([one], {}), needs],
    [ask([one], { only: ['sim-v'] }), needs],
    [ask([one], { only: [], allow_fallbacks: false }), needs],
    [ask('ink'), `${member} must be an array`],
    [ask([1, 2, 3, 4, 5].map((n) => ({ ...one, id: `a${n}` }))), `${member} must have at most 4 items, not 5`],
    [ask(['ink']), `${member}[0] must be an object`],
    [ask([{ ...one, id: '' }]), `${member}[0].id must be a string of 1 to 256 characters`],
    [ask([{ id: 'ink', strength: 1 }]), `${member}[0].revision must be a string`],
    [ask([{ id: 'ink', revision: '2' }]), `${member}[0].strength must be a number from -100 to 100`],
    [ask([one, one]), `${member}[1].id repeats ink`],
  ];
  for (const [body, message] of table) assert.is((await refusal(body)).slice(0, message.length), message);
});

it('options are bounded, however they are nested', async () => {
  const bound = 'provider.options must have at most 32768 characters as JSON';
  const deep = (levels: number): unknown => (levels === 0 ? 'x'.repeat(1_000) : [deep(levels - 1), deep(levels - 1)]);
  for (const given of [{ note: 'x'.repeat(32_768) }, { list: Array(20_000).fill(1) }, { deep: deep(6) }]) {
    assert.is(await refusal({ ...ASK, provider: { options: { p: given } } }), bound);
  }
  const fits = await parse({
    ...ASK,
    provider: { options: { p: { note: 'x'.repeat(30_000), list: [1, null, true] } } },
  });
  assert.equal(fits.preferences.options?.p?.list, [1, null, true]);
});

it('names of prototypes are data: in options, slugs and adapters (rule E35)', async () => {
  // rule E35
  const hostile = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}') as object;
  const { preferences } = await parse({ ...ASK, provider: { options: hostile } });
  assert.equal(Object.keys(preferences.options ?? {}), ['__proto__', 'constructor']);
  const body = `{"provider": {"only": ["x"], "allow_fallbacks": false, "options": {"__proto__": {"adapters": []}}}}`;
  const { adapters } = await parse({ ...ASK, ...(JSON.parse(body) as object) });
  assert.equal([...adapters.keys()], ['__proto__']);
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

test.run();
