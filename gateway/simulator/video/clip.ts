import { filler, KEY_FRAMES, keyFrame, movedFrame, pictureParameters, sequenceParameters } from './h264.ts';
import { type AudioTrack, type Movie, movie, type Sample } from './mp4.ts';

/** A clip to make; every part of it can be judged by a player. */
export interface ClipSpec {
  readonly seconds: number;
  readonly fps: number;
  readonly width: number;
  readonly height: number;
  readonly audio: boolean;
  /** The least size of the file; 0 for no filler. */
  readonly bytesMin: number;
  /** The tables stand behind the pictures. */
  readonly headLast: boolean;
}

const TICKS_PER_FRAME = 1_000;
const FRAMES_PER_KEY_MAX = 120;
const FILLER_MIN = 64;
const AUDIO_RATE = 48_000;
const AUDIO_SAMPLE_TICKS = 1_024;
/** AAC-LC, 48 kHz, one channel; and one frame of silence in it. */
const AUDIO_CONFIG = Buffer.from([0x11, 0x88]);
const AUDIO_SILENCE = Buffer.from([0x00, 0xc8, 0x00, 0x80, 0x23, 0x80]);

/** A playable MP4 of exactly this length, size and frame rate. */
export function clip(spec: ClipSpec): Movie {
  const { seconds, fps, width, height, audio } = spec;
  const frames = Math.max(1, Math.round(seconds * fps));
  const framesPerKey = Math.max(1, Math.min(FRAMES_PER_KEY_MAX, Math.round(fps)));
  const timescale = Math.round(fps * TICKS_PER_FRAME);
  const soundTicks = Math.round((frames * TICKS_PER_FRAME * AUDIO_RATE) / timescale);
  return movie(
    {
      width,
      height,
      frames,
      framesPerKey,
      timescale,
      frameTicks: TICKS_PER_FRAME,
      sequence: sequenceParameters(spec),
      picture: pictureParameters(),
      sample: samplesOf(spec, frames, framesPerKey),
    },
    audio ? soundOf(soundTicks) : null,
    spec,
  );
}

function soundOf(ticks: number): AudioTrack {
  const sound = { rate: AUDIO_RATE, sampleTicks: AUDIO_SAMPLE_TICKS, config: AUDIO_CONFIG, sample: AUDIO_SILENCE };
  return { ...sound, ticks };
}

/** Eight key frames and the frames of one second are made once; the filler is one buffer for all frames. */
function samplesOf(spec: ClipSpec, frames: number, framesPerKey: number): (frame: number) => Sample {
  const keys: Sample[] = [];
  const others: Sample[] = [];
  const share = Math.ceil(spec.bytesMin / frames);
  const padding = share < FILLER_MIN ? [] : unitPieces(filler(share));
  return (frame) => {
    const after = frame % framesPerKey;
    if (after !== 0) {
      others[after] ??= sampleOf([...unitPieces(movedFrame(spec, after)), ...padding]);
      return others[after] as Sample;
    }
    const nth = (frame / framesPerKey) % KEY_FRAMES;
    keys[nth] ??= sampleOf([...unitPieces(keyFrame(spec, nth)), ...padding]);
    return keys[nth] as Sample;
  };
}

/** A NAL unit behind its length. */
function unitPieces(unit: Buffer): readonly Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(unit.length);
  return [length, unit];
}

function sampleOf(pieces: readonly Buffer[]): Sample {
  return { pieces, bytes: pieces.reduce((sum, { length }) => sum + length, 0) };
}
