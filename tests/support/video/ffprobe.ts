import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What ffprobe reads after it decoded every frame of a file. */
interface ProbedClip {
  /** Exact, as ffprobe prints it. */
  readonly seconds: string;
  readonly frames: number;
  readonly fps: string;
  readonly width: number;
  readonly height: number;
  readonly audio: boolean;
  /** Complaints of the decoders; empty for a clip that plays. */
  readonly errors: string;
}

interface ProbedStream {
  readonly codec_type: string;
  readonly width?: number;
  readonly height?: number;
  readonly duration?: string;
  readonly r_frame_rate?: string;
  readonly nb_read_frames?: string;
}

const ASKED = 'stream=codec_type,width,height,duration,r_frame_rate,nb_read_frames';
let binary: string | null = null;

/** Decodes a clip from start to end with the ffprobe of a package. Rejects for a file that has no video. */
export async function ffprobe(clip: Uint8Array): Promise<ProbedClip> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-clip-'));
  try {
    const file = join(folder, 'clip.mp4');
    writeFileSync(file, clip);
    return await probe(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function probe(file: string): Promise<ProbedClip> {
  const asked = ['-v', 'warning', '-count_frames', '-show_entries', ASKED, '-of', 'json', file];
  const { stdout, stderr } = await promisify(execFile)(pathOf(), asked);
  const { streams = [] } = JSON.parse(stdout) as { readonly streams?: readonly ProbedStream[] };
  const video = streams.find((stream) => stream.codec_type === 'video');
  if (video === undefined) throw new Error(`no video: ${stderr}`);
  return {
    seconds: video.duration ?? '',
    frames: Number(video.nb_read_frames),
    fps: video.r_frame_rate ?? '',
    width: video.width ?? 0,
    height: video.height ?? 0,
    audio: streams.some((stream) => stream.codec_type === 'audio'),
    errors: stderr,
  };
}

function pathOf(): string {
  if (binary === null) {
    binary = (createRequire(import.meta.url)('@ffprobe-installer/ffprobe') as { readonly path: string }).path;
    // Its install script does this, and install scripts do not run here.
    chmodSync(binary, 0o755);
  }
  return binary;
}
