/** The verifiers that docs/webhooks.md shows to users, taken from the document: independent of the code that signs. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../sources.ts';

export interface Received {
  readonly body: string;
  readonly header: string;
  readonly secret: string;
  /** Unix seconds. */
  readonly now: number;
}

const DOCUMENT = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');

function block(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(DOCUMENT)?.[1];
  if (found === undefined) throw new Error(`docs/webhooks.md has no block of ${language}`);
  return found;
}

const { verify } = (await import(`data:text/javascript,${encodeURIComponent(block('js'))}`)) as {
  readonly verify: (body: Buffer, header: string, secret: string, now: number) => unknown;
};

/** Returns the parsed body; throws unless the signature is right and fresh. */
export function verifyInNode({ body, header, secret, now }: Received): unknown {
  return verify(Buffer.from(body), header, secret, now);
}

/** True or false for each; null on a machine without Python 3.10. */
export function verifyInPython(all: readonly Received[]): readonly boolean[] | null {
  const script = `${block('python')}
import sys
assert sys.version_info >= (3, 10)
def holds(one):
    try:
        verify(one["body"].encode(), one["header"], one["secret"], one["now"])
        return True
    except ValueError:
        return False
print(json.dumps([holds(one) for one in json.load(sys.stdin)]))`;
  const run = spawnSync('python3', ['-c', script], { input: JSON.stringify(all), maxBuffer: 1024 * 1024 });
  if (run.error !== undefined || run.status !== 0) return null;
  return JSON.parse(run.stdout.toString()) as boolean[];
}
