/**
 * A hand-made H.264 picture source (Constrained Baseline): coloured bars that move to the left. A key frame has one row
 * of raw macroblocks and predicts the others from it; the frames between move the picture by one vector. So a second
 * costs some tens of kilobytes at any size, and no encoder is needed.
 */
import { BitWriter } from './bit-writer.ts';

const MACROBLOCK = 16;
/** Luma, Cb, Cr. */
const COLOURS: readonly (readonly [number, number, number])[] = [
  ...([
    [180, 128, 128],
    [162, 44, 142],
    [131, 156, 44],
    [112, 72, 58],
  ] as const),
  ...([
    [84, 184, 198],
    [65, 100, 212],
    [35, 212, 114],
    [60, 128, 128],
  ] as const),
];
/** Key frames that differ; then the pictures repeat. */
export const KEY_FRAMES = COLOURS.length;
/** Pixels per frame, in quarters. */
const STEP_QUARTERS = -32;
const LEVELS: readonly (readonly [number, number])[] = [
  [1_620, 30],
  [3_600, 31],
  [8_192, 40],
  [36_864, 51],
];
const LEVEL_MAX = 52;
const NAL = { slice: 0x61, key: 0x65, filler: 0x06, sequence: 0x67, picture: 0x68 };
const FILLER_BYTE = 0xaa;
/** Payload type and length that stay below the size bytes of a filler unit. */
const FILLER_ID_BYTES = 16;

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export function sequenceParameters({ width, height }: PictureSize): Buffer {
  const { across, down } = macroblocks({ width, height });
  const [right, bottom] = [across * MACROBLOCK - width, down * MACROBLOCK - height];
  const level = LEVELS.find(([count]) => across * down <= count)?.[1] ?? LEVEL_MAX;
  return new BitWriter()
    .bits(66, 8)
    .bits(0xc0, 8)
    .bits(level, 8)
    .ue(0) // id
    .ue(4) // 8 bits of frame number
    .ue(2) // frames are shown in their order
    .ue(1) // one reference frame
    .bits(0, 1)
    .ue(across - 1)
    .ue(down - 1)
    .bits(0b11, 2) // whole frames, direct 8x8
    .bits(1, 1) // cropped, in units of two pixels
    .ue(0)
    .ue(right >> 1)
    .ue(0)
    .ue(bottom >> 1)
    .bits(0, 1)
    .unit(NAL.sequence);
}

export function pictureParameters(): Buffer {
  return new BitWriter()
    .ue(0)
    .ue(0)
    .bits(0, 2) // CAVLC
    .ue(0)
    .ue(0)
    .ue(0)
    .bits(0, 3)
    .se(0)
    .se(0)
    .se(0)
    .bits(0b100, 3) // a slice says that it is not deblocked
    .unit(NAL.picture);
}

/** Key frame number `nth`: complete by itself. */
export function keyFrame(size: PictureSize, nth: number): Buffer {
  const { across, down } = macroblocks(size);
  const writer = new BitWriter().ue(0).ue(7).ue(0).bits(0, 8);
  writer
    .ue(nth % 2)
    .bits(0, 2)
    .se(0)
    .ue(1);
  for (let x = 0; x < across; x++) writer.ue(25).raw(rawMacroblock(colourOf(x, across, nth)));
  for (let y = 1; y < down; y++) {
    // Predicted from above, no residual: the code of "no coefficient" depends on the neighbours, raw ones count as 16.
    for (let x = 0; x < across; x++) {
      writer.ue(1).ue(2).se(0);
      if (y === 1) writer.bits(0b000011, 6);
      else writer.bits(1, 1);
    }
  }
  return writer.unit(NAL.key);
}

/** The frame `after` frames after a key frame (1 to 255): the picture before it, moved. */
export function movedFrame(size: PictureSize, after: number): Buffer {
  const { across, down } = macroblocks(size);
  const writer = new BitWriter().ue(0).ue(5).ue(0).bits(after, 8).bits(0, 3).se(0).ue(1);
  for (let x = 0; x < across; x++) moved(writer, 0, x === 0);
  // A skipped macroblock inherits the vector of its neighbours, the first of each row has too few.
  for (let y = 1; y < down; y++) moved(writer, y === 1 ? 0 : across - 1, false);
  if (down > 1) writer.ue(across - 1);
  return writer.unit(NAL.slice);
}

/** A unit that decoders ignore (unregistered user data), for clips of a given size; some bytes at least. */
export function filler(bytes: number): Buffer {
  const sizes = Math.ceil((bytes - 3) / 256);
  const payload = Math.max(FILLER_ID_BYTES, bytes - 3 - sizes);
  const head = [NAL.filler, 5, ...new Array<number>(Math.floor(payload / 255)).fill(255), payload % 255];
  const unit = Buffer.alloc(head.length + payload + 1, FILLER_BYTE);
  unit.set(head);
  unit[unit.length - 1] = 0x80;
  return unit;
}

function moved(writer: BitWriter, skipped: number, first: boolean): void {
  writer
    .ue(skipped)
    .ue(0)
    .se(first ? STEP_QUARTERS : 0)
    .se(0)
    .ue(0);
}

function macroblocks({ width, height }: PictureSize): { readonly across: number; readonly down: number } {
  return { across: Math.ceil(width / MACROBLOCK), down: Math.ceil(height / MACROBLOCK) };
}

function colourOf(x: number, across: number, nth: number): readonly [number, number, number] {
  const bar = Math.floor((x * COLOURS.length) / across);
  return COLOURS[(bar + nth) % COLOURS.length] as readonly [number, number, number];
}

function rawMacroblock([luma, blue, red]: readonly [number, number, number]): Buffer {
  return Buffer.concat([Buffer.alloc(256, luma), Buffer.alloc(64, blue), Buffer.alloc(64, red)]);
}
