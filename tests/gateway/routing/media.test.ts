import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AcceptedInput, Endpoint, Envelopes, Modality } from '../../../actors/terms/endpoint.ts';
import { bounded } from '../../support/bounded.ts';
import { at, planned, refusal, refused, rejected, routed, slugs } from './scene.ts';

const it = bounded(test);

type Inputs = Endpoint['inputs'];

function taker(slug: string, inputs: Inputs): Endpoint {
  const modalities = ['text', ...Object.keys(inputs)] as Modality[];
  return at(slug, { contextLength: 100_000 }, { inputModalities: modalities, inputs });
}

function maker(slug: string, output: readonly Modality[], envelopes: Envelopes = {}): Endpoint {
  return at(slug, {}, { outputModalities: ['text', ...output], envelopes });
}

const ANY: AcceptedInput = { sources: ['url', 'data'], containers: null };
const FETCHED: AcceptedInput = { sources: ['url'], containers: null };
const INLINE: AcceptedInput = { sources: ['data'], containers: null };

const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const PNG = image('data:image/png;base64,iVBORw0KGgo=');
const FETCHABLE = image('https://pictures.example/a.tiff');
const SPOKEN = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
const SPOKEN_URL = { type: 'audio_url', audio_url: { url: 'data:audio/x-wav;base64,UklGRg==' } };
const PDF = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } };
const CLIP = { type: 'video_url', video_url: { url: 'https://pictures.example/a.mp4' } };

function saying(...content: object[]): object {
  return { messages: [{ role: 'user', content: [{ type: 'text', text: 'what is this?' }, ...content] }] };
}

/** The part, the inputs that the endpoint accepts, and the reason of the rejection; null when it may serve. */
const TABLE: readonly (readonly [string, object, Inputs, string | null])[] = [
  ['an image, to an endpoint that accepts no media', PNG, {}, 'modality: image'],
  ['an image, to an endpoint that accepts audio only', PNG, { audio: ANY }, 'modality: image'],
  ['an image, to an endpoint that accepts every container', PNG, { image: ANY }, null],
  ['an image in an accepted container', PNG, { image: { ...ANY, containers: ['image/png'] } }, null],
  [
    'an image in another container',
    PNG,
    { image: { ...ANY, containers: ['image/webp'] } },
    'source: image as image/png',
  ],
  ['a URL, which has no container', FETCHABLE, { image: { ...ANY, containers: ['image/webp'] } }, null],
  ['a URL, to an endpoint that accepts only bytes', FETCHABLE, { image: INLINE }, 'source: image by address'],
  ['bytes, to an endpoint that only fetches', PNG, { image: FETCHED }, 'source: image by value'],
  ['audio bytes, to an endpoint that accepts bytes', SPOKEN, { audio: INLINE }, null],
  ['audio bytes, to an endpoint that only fetches', SPOKEN, { audio: FETCHED }, 'source: audio by value'],
  ['audio bytes in an accepted container', SPOKEN, { audio: { ...INLINE, containers: ['audio/wav'] } }, null],
  [
    'audio bytes in another container',
    SPOKEN,
    { audio: { ...INLINE, containers: ['audio/mpeg'] } },
    'source: audio as audio/wav',
  ],
  ['the same audio under another name', SPOKEN_URL, { audio: { ...INLINE, containers: ['audio/wave'] } }, null],
  ['a document, to an endpoint that accepts it', PDF, { file: { ...INLINE, containers: ['application/pdf'] } }, null],
  ['a document, to an endpoint that accepts none', PDF, { image: ANY }, 'modality: file'],
  ['a video, to an endpoint that accepts video', CLIP, { video: FETCHED }, null],
  ['a video, to an endpoint that accepts none', CLIP, { image: ANY }, 'modality: video'],
];

for (const [what, part, inputs, reason] of TABLE) {
  it(`${what} is ${reason === null ? 'sent' : 'refused'} (rule I123)`, () => {
    const endpoints = [taker('a', inputs)];
    if (reason === null) return assert.equal(slugs(saying(part), endpoints), ['a']);
    const error = refused(saying(part), endpoints);
    assert.is(error.status, 503);
    const [rejection] = error.metadata.rejections as { reason: string; detail: string }[];
    assert.is(`${rejection?.reason}: ${rejection?.detail}`, reason);
    assert.match(error.message, (rejection?.detail ?? '').split(' ')[0] as string);
  });
}

it('one endpoint must accept every part of every message (rule I123)', () => {
  const endpoints = [
    taker('image', { image: ANY }),
    taker('audio', { audio: ANY }),
    taker('both', { image: ANY, audio: ANY }),
  ];
  assert.equal(slugs(saying(PNG, SPOKEN), endpoints), ['both']);
  const { rejections } = planned(saying(PNG, SPOKEN), endpoints);
  assert.equal(
    rejections.map(({ detail }) => detail),
    ['audio', 'image'],
  );
});

it('an input that a valid check refuted is not accepted (rule I123)', () => {
  const sees = taker('sees', { image: ANY });
  const ignores = { ...taker('ignores', { image: ANY }), evidence: { ...sees.evidence, refutedInputs: ['image'] } };
  assert.equal(slugs(saying(PNG), [ignores as Endpoint, sees]), ['sees']);
  assert.equal(slugs(saying(), [ignores as Endpoint]), ['ignores'], 'text alone is');
});

it('the unsupported modality is named, whatever providers the client admits (rule I124)', () => {
  const error = refused({ ...saying(PNG), provider: { only: ['b'] } }, [at('a'), at('b')]);
  assert.match(error.message, /image is not supported/);
});

it('an endpoint must produce the requested modalities (rule I122)', () => {
  const speaker = maker('speaks', ['audio'], { speech: { voices: ['ember'], formats: ['wav'] } });
  const endpoints = [at('writes'), maker('painter', ['image']), speaker];
  assert.equal(slugs({ modalities: ['image', 'text'] }, endpoints), ['painter']);
  assert.equal(slugs({ modalities: ['audio'], audio: { voice: 'ember', format: 'wav' } }, endpoints), ['speaks']);
  const error = refused({ modalities: ['image'] }, [at('writes')]);
  assert.is(error.status, 503);
  assert.match(error.message, /image/);
  assert.match(refused({ modalities: ['audio', 'text'] }, endpoints.slice(0, 2)).message, /audio/);
});

it('speech needs an endpoint with the declared voice and format (rule I23)', () => {
  const speech = { voices: ['ember'], formats: ['wav'] };
  const speaker = maker('speaks', ['audio'], { speech });
  const asking = (voice: string, format: string) => ({ modalities: ['text', 'audio'], audio: { voice, format } });
  assert.equal(slugs(asking('ember', 'wav'), [at('mute'), speaker]), ['speaks']);
  const members = (voice: string, format: string) =>
    (refused(asking(voice, format), [speaker]).metadata.rejections as { member: string }[])[0]?.member;
  assert.is(members('ash', 'wav'), 'audio.voice');
  assert.is(members('ember', 'mp3'), 'audio.format');
  const { message } = refused(asking('ash', 'wav'), [speaker]);
  assert.match(message, /audio\.voice is not declared \(declared are ember\)/);
  assert.not.match(message, /leave out/);
  const error = refused(asking('ember', 'wav'), [at('mute'), maker('hums', ['audio'])]);
  assert.is(error.status, 503);
  assert.match(error.message, /audio/);
});

it('speech without a voice is 400 where any endpoint can speak, and an unsupported modality elsewhere (rule I23)', () => {
  const speaker = maker('a', ['audio'], { speech: { voices: ['alto'], formats: ['wav'] } });
  const error = refused({ modalities: ['text', 'audio'] }, [speaker, at('b')]);
  assert.is(error.status, 400);
  assert.match(error.message, /^audio is required/);
  assert.is(refused({ modalities: ['text', 'audio'] }, [at('b')]).status, 503);
});

it('an image setting must lie within the envelope of the endpoint (rule I24)', () => {
  const envelope = { resolutions: ['1K', '2K'], aspectRatios: ['1:1', '16:9'], formats: ['png'], imagesMax: 2 };
  const sizes = ['1024x1024'];
  const quality = { type: 'enum', values: ['low', 'high'] } as const;
  const painter = at(
    'painter',
    {},
    {
      outputModalities: ['text', 'image'],
      envelopes: { image: { ...envelope, sizes } },
      descriptors: { image_config: { type: 'object', properties: { quality } } },
    },
  );
  const table: readonly (readonly [object, string | null])[] = [
    [{ resolution: '2k', aspect_ratio: '16:9', n: 2, output_format: 'png', quality: 'high' }, null],
    [{ aspect_ratio: 'auto' }, null],
    [{ size: '2K' }, null],
    [{ size: '1024X1024' }, null],
    [{ resolution: '4K' }, 'image_config.resolution'],
    [{ aspect_ratio: '2:3' }, 'image_config.aspect_ratio'],
    [{ n: 3 }, 'image_config.n'],
    [{ size: '640x400' }, 'image_config.size'],
    [{ output_format: 'webp' }, 'image_config.output_format'],
    [{ quality: 'medium' }, 'image_config.quality'],
    [{ background: 'transparent' }, 'image_config.background'],
    [{ seed: 7 }, 'image_config.seed'],
  ];
  for (const [config, member] of table) {
    const body = { modalities: ['image'], image_config: config };
    if (member === null) assert.equal(slugs(body, [painter]), ['painter'], JSON.stringify(config));
    else {
      const [rejection] = refused(body, [painter]).metadata.rejections as { reason: string; member: string }[];
      assert.is(rejection?.member, member);
      assert.is(rejection?.reason, 'require_parameters');
      const inBody = { modalities: { input: [], output: ['image'] as const }, kind: 'picture' } as const;
      const [own] = rejected({ ...inBody, imageConfig: config as Record<string, unknown> }, [painter]);
      assert.is(own?.member, member.replace('image_config.', ''), 'as the body of an image generation has it');
    }
  }
});

it('a resolution and an aspect ratio need a declared size of that ratio and about as many pixels (rule I24)', () => {
  const painter = (slug: string, sizes: readonly string[]) =>
    maker(slug, ['image'], { image: { sizes, formats: ['png'] } });
  const small = painter('small', ['1024x1024', '1344x768']);
  const large = painter('large', ['2048x2048', '2688X1536']);
  const table: readonly (readonly [object, readonly string[]])[] = [
    [{ resolution: '1K', aspect_ratio: '16:9' }, ['small']],
    [{ resolution: '2k', aspect_ratio: '16:9' }, ['large']],
    [{ resolution: '2K' }, ['large']],
    [{ aspect_ratio: '1:1' }, ['large', 'small']],
    [{ resolution: '1K', aspect_ratio: 'auto' }, ['small']],
    [{ resolution: '1K', size: '1024x1024' }, ['small']],
  ];
  for (const [config, serving] of table) {
    const body = { modalities: ['image'], image_config: config };
    assert.equal(slugs(body, [small, large]).sort(), serving, JSON.stringify(config));
  }
  const unserved: readonly (readonly [object, string])[] = [
    [{ resolution: '4K' }, 'image_config.resolution'],
    [{ resolution: 'huge' }, 'image_config.resolution'],
    [{ aspect_ratio: '21:9' }, 'image_config.aspect_ratio'],
    [{ resolution: '2K', size: '1024x1024' }, 'image_config.resolution'],
    [{ size: '640x400' }, 'image_config.size'],
  ];
  for (const [config, member] of unserved) {
    const [rejection] = refused({ modalities: ['image'], image_config: config }, [small]).metadata.rejections as {
      member: string;
    }[];
    assert.is(rejection?.member, member, JSON.stringify(config));
  }
});

it('a voice declared as any text matches every voice', () => {
  const properties = { voice: { type: 'unknown' }, format: { type: 'enum', values: ['mp3'] } } as const;
  const speech = { voices: [], formats: ['mp3'] };
  const free = {
    ...maker('speaks', ['audio'], { speech }),
    descriptors: { audio: { type: 'object', properties } as const },
  };
  assert.equal(slugs({ modalities: ['audio'], audio: { voice: 'mine', format: 'mp3' } }, [free]), ['speaks']);
  assert.is(refused({ modalities: ['audio'], audio: { voice: 'mine', format: 'wav' } }, [free]).status, 503);
});

it('an endpoint that answers in speech alone is not called for a dialect without speech: 422 where there is no other (rule I76)', () => {
  const speaker = at('speaks', {}, { outputModalities: ['audio'] });
  const inexpressible = { inexpressible: ['audio'] as const };
  assert.equal(routed(inexpressible, [speaker, maker('both', ['audio'])]), ['both']);
  assert.equal(routed({}, [speaker]), ['speaks']);
  const { status, type, message } = refusal(() => routed(inexpressible, [speaker]));
  assert.equal([status, type], [422, 'unprocessable']);
  assert.match(message, /audio.*\/chat\/completions/);
});

test.run();
