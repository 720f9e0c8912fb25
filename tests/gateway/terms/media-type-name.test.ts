import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mediaTypeName } from '../../../gateway/terms/media-type-name.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('media types are normalised to one name, without regard to case, aliases and parameters (rule I43)', () => {
  const names: Readonly<Record<string, string>> = {
    'image/png': 'image/png',
    'IMAGE/JPG': 'image/jpeg',
    ' audio/mp3 ; rate=44100': 'audio/mpeg',
    'audio/x-wav': 'audio/wav',
    'video/mp4;codecs="avc1"': 'video/mp4',
    'application/made-up': 'application/made-up',
    '': '',
    constructor: 'constructor',
  };
  for (const [written, name] of Object.entries(names)) assert.is(mediaTypeName(written), name);
});

test.run();
