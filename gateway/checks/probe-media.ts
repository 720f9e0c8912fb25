/** The small files that checks of inputs send: a picture, a clip, a recording and a document. */
import { inflateSync } from 'node:zlib';

/** A PNG of 64 by 64 pixels, blue on the left and yellow on the right; base64. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PMQ0AMBADseNPOoXQ6TdLJuBqp7ZOJSAgICAgICAg' +
  'ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICDw8wBm4Olat0NTZwAAAABJRU5ErkJggg==';

/** An MP4 of one second, 64 by 64 pixels, blue on the left and yellow on the right; deflated, base64. */
const CLIP =
  'eNrtl7FLI0EUxr9dc7kIihYKh4qJIsgVgpGUx7F4CGJhI+m0WDPJZTHjhsy4oFwhHHdcfWDlNf4ZWllYW+hfkM7SwsJGorPZkE3U' +
  'NIGz8PvII7uZx3sz+WB+PACZkt6vesqXgA3z7Sl/yQ0KWVnNZQH7VPp+AKAig7JAhwZuwrBgPm1ZnVnd7w56ygbsFV1zdwBs6p2w' +
  '58DzaqZ37z4v9nVaD1ZdCs8FkJGi+1xpx0T+InyZK4tKrbUSeKIYz9zwpKl1JL3dEoCxQIa14p3nRHNtStSKpdjOhvZqlUzz2cor' +
  'vV0B8EtpJWI5e8aHV05nzuFgFQjj5YxufWo0zPHcoPDNWj6fbtSR+r58Pn10MvhgIVG+/HJokpTWKlYyFf3Zi0qr1u+paM2OzEk8' +
  'bf4DgCSAj9H6lNKqEKsTj5zS6iC2sRSQTPcO07/gt/PtOjAIYCQNjH8FJreAmR/A/DGwcAZkIYWrgeRk8c/h2jA+v3Pd9qndPkUH' +
  '3t6Bq3eu0T71t0/Rgbd2YH2iev37X+6uqfsID7M/HV5OxAPxwMuJeCAeuvHA6YF4oAO8nIgH4oHTA/FAB4gH4oEOcHogHugA8UA8' +
  '0AFOD8QDHSAeiAc6wOmBeKADxAPxQAc4PRAPdIB4IB7owH/EwyNcAmiE';

/** The clip as base64: 13 KB. */
export function clip(): string {
  return inflateSync(Buffer.from(CLIP, 'base64')).toString('base64');
}

export const CODE_WORD = 'MARIGOLD 4827';

/** A PDF of one page with one sentence, "The code word is MARIGOLD 4827."; base64. */
export const DOCUMENT =
  'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+CmVuZG9iagoyIDAgb2JqPDwvVHlwZS9QYWdlcy9L' +
  'aWRzWzMgMCBSXS9Db3VudCAxPj4KZW5kb2JqCjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCAz' +
  'NjAgMTIwXS9Db250ZW50cyA0IDAgUi9SZXNvdXJjZXM8PC9Gb250PDwvRjEgNSAwIFI+Pj4+Pj4KZW5kb2JqCjQgMCBvYmo8PC9M' +
  'ZW5ndGggNjE+PnN0cmVhbQpCVCAvRjEgMjQgVGYgMzAgNTQgVGQgKFRoZSBjb2RlIHdvcmQgaXMgTUFSSUdPTEQgNDgyNy4pIFRq' +
  'IEVUCmVuZHN0cmVhbQplbmRvYmoKNSAwIG9iajw8L1R5cGUvRm9udC9TdWJ0eXBlL1R5cGUxL0Jhc2VGb250L0hlbHZldGljYT4+' +
  'CmVuZG9iagp4cmVmCjAgNgowMDAwMDAwMDAwIDY1NTM1IGYgCjAwMDAwMDAwMDkgMDAwMDAgbiAKMDAwMDAwMDA1MyAwMDAwMCBu' +
  'IAowMDAwMDAwMTAzIDAwMDAwIG4gCjAwMDAwMDAyMTQgMDAwMDAgbiAKMDAwMDAwMDMyMSAwMDAwMCBuIAp0cmFpbGVyPDwvU2l6' +
  'ZSA2L1Jvb3QgMSAwIFI+PgpzdGFydHhyZWYKMzgzCiUlRU9GCg==';

export const BEEPS = 4;
const RATE = 8_000;
const HERTZ = 880;
const BEEP_SECONDS = 0.2;
const PAUSE_SECONDS = 0.4;
const SILENCE = 128;
const LOUDNESS = 90;
const HEADER_BYTES = 44;

/** A WAV of 2.8 s with as many tones as `BEEPS`; 8 kHz, 8 bits, one channel; base64. */
export function recording(): string {
  const samples = Buffer.alloc(Math.round(RATE * (PAUSE_SECONDS + BEEPS * (BEEP_SECONDS + PAUSE_SECONDS))), SILENCE);
  for (let beep = 0; beep < BEEPS; beep++) {
    const from = Math.round(RATE * (PAUSE_SECONDS + beep * (BEEP_SECONDS + PAUSE_SECONDS)));
    for (let at = 0; at < RATE * BEEP_SECONDS; at++) {
      samples[from + at] = SILENCE + Math.round(LOUDNESS * Math.sin((2 * Math.PI * HERTZ * at) / RATE));
    }
  }
  return Buffer.concat([header(samples.length), samples]).toString('base64');
}

function header(bytes: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(HEADER_BYTES - 8 + bytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  for (const [at, value] of [16, 0x1_0001, RATE, RATE, 0x8_0001].entries()) head.writeUInt32LE(value, 16 + at * 4);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(bytes, 40);
  return head;
}
