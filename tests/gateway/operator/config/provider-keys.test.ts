/** A provider's key in a file: checked, read anew when it changes, and never logged. */
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runKeyCommand } from '../../../../gateway/operator/config/key-command.ts';
import { loadConfig } from '../../../../gateway/operator/config/load.ts';
import { LiveProviderKeys } from '../../../../gateway/operator/config/provider-keys.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-keys-'));
const path = join(folder, 'alpha.key');
test.after(() => rmSync(folder, { recursive: true, force: true }));

const ALPHA = { slug: 'alpha', name: 'Alpha', baseUrl: 'https://alpha.example/v1', models: { data: [] } };
const BETA = { ...ALPHA, slug: 'beta', apiKeyEnv: 'BETA_KEY' };
const [FIRST, SECOND] = ['sesame-first', 'sesame-second'];

function write(key: string, mode = 0o600): void {
  // As secrets are replaced: a new file takes the name.
  writeFileSync(`${path}.new`, key, { mode });
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}

class Stage {
  readonly lines: string[] = [];
  tick: () => void = () => {};
  stopped = false;

  open(): Promise<LiveProviderKeys> {
    const note = (record: object, message: string): void =>
      void this.lines.push(`${message} ${JSON.stringify(record)}`);
    const clock = {
      ...{ now: () => 0, monotonic: () => 0 },
      after: (_: number, run: () => void) => {
        this.tick = run;
        return () => {
          this.stopped = true;
        };
      },
    };
    const providers = [{ ...ALPHA, keyFile: path }, BETA];
    return LiveProviderKeys.open({ providers }, { BETA_KEY: 'b' }, { clock, log: { info: note, error: note } });
  }
}

it('a replaced file is read anew, with its former key still known to what redacts', async () => {
  write(`${FIRST}\n`);
  const stage = new Stage();
  const keys = await stage.open();
  assert.equal([keys.get('alpha'), keys.get('beta'), keys.get('none')], [FIRST, 'b', undefined]);
  await keys.look();
  assert.equal(stage.lines, [], 'an unchanged file is not read');
  write(SECOND);
  await keys.look();
  assert.is(keys.get('alpha'), SECOND);
  assert.equal([...keys.values()], [SECOND, 'b', FIRST]);
  assert.equal(stage.lines, ['the key of a provider was read anew {"provider":"alpha"}']);
});

it('a key may be a JSON object of several lines, as the key file of a service account is', async () => {
  const file = JSON.stringify({ client_email: 'a@p.example', private_key: '-----BEGIN KEY-----' }, null, 2);
  write(`${file}\n`);
  const keys = await new Stage().open();
  assert.is(keys.get('alpha'), file);
  write('{ "client_email": ');
  await keys.look();
  assert.is(keys.get('alpha'), file, 'half of one is no key');
});

it('former keys are bounded', async () => {
  write(FIRST);
  const keys = await new Stage().open();
  for (let n = 0; n < 10; n++) {
    write(`key-${n}`);
    await keys.look();
  }
  assert.equal([...keys.values()], ['key-9', 'b', 'key-8', 'key-7', 'key-6', 'key-5']);
});

it('a file that others may read, that is missing, empty or too long keeps the last key, and is logged once', async () => {
  write(FIRST);
  const stage = new Stage();
  const keys = await stage.open();
  const faults: readonly (readonly [() => void, RegExp])[] = [
    [() => write(SECOND, 0o604), /has mode 0604, so that other users have access; run chmod 600 /],
    [() => write(SECOND, 0o620), /has mode 0620/],
    [() => rmSync(path), /does not exist/],
    [() => write('   \n'), /is empty; write the key alone into it/],
    [() => write(`${SECOND} and more`), /has blanks, several lines or characters/],
    [() => write('x'.repeat(9_000)), /is longer than 8192 bytes/],
  ];
  for (const [spoil, why] of faults) {
    stage.lines.length = 0;
    spoil();
    await keys.look();
    await keys.look();
    assert.is(keys.get('alpha'), FIRST);
    assert.is(stage.lines.length, 1, String(why));
    assert.match(stage.lines[0] as string, why);
    assert.not.match(stage.lines[0] as string, /sesame/);
  }
  write(SECOND);
  await keys.look();
  assert.is(keys.get('alpha'), SECOND);
});

it('a started reader looks again and again until it is stopped', async () => {
  write(FIRST);
  const stage = new Stage();
  const keys = await stage.open();
  keys.start();
  for (const key of [SECOND, FIRST]) {
    write(key);
    stage.tick();
    while (keys.get('alpha') !== key) await new Promise((resolve) => setImmediate(resolve));
  }
  keys.stop();
  assert.is(stage.stopped, true);
});

it('a configuration is refused whose file cannot be used, or that names a variable too', async () => {
  const fault = (provider: object): Promise<string> => {
    writeFileSync(join(folder, 'c.json'), JSON.stringify({ providers: [provider] }));
    return loadConfig({ file: join(folder, 'c.json'), cwd: folder, env: { BETA_KEY: 'b' } }).then(
      ({ providers }) => String(providers[0]?.keyFile),
      (error: Error) => error.message,
    );
  };
  write(FIRST);
  assert.is(await fault({ ...ALPHA, keyFile: 'alpha.key' }), path);
  assert.match(
    await fault({ ...ALPHA, keyFile: 'none.key' }),
    /c\.json: providers\[0\]\.keyFile: .*none\.key does not exist$/,
  );
  write(FIRST, 0o644);
  assert.match(await fault({ ...ALPHA, keyFile: 'alpha.key' }), /providers\[0\]\.keyFile: .* has mode 0644/);
  assert.match(await fault({ ...BETA, keyFile: 'alpha.key' }), /providers\[0\] has apiKeyEnv and keyFile; keep one/);
});

const printing = (text: string): readonly string[] => [
  process.execPath,
  '-e',
  `process.stdout.write(${JSON.stringify(text)}.replace('$N', process.env.COUNT ?? ''))`,
];

async function byCommand(keyCommand: readonly string[]) {
  const lines: string[] = [];
  const note = (record: object, message: string): void => void lines.push(`${message} ${JSON.stringify(record)}`);
  const env: Record<string, string> = { COUNT: '1' };
  const clock = { now: () => stage.now, monotonic: () => 0, after: () => () => {} };
  const stage = { now: 1_000_000_000_000, env, lines };
  const keys = await LiveProviderKeys.open({ providers: [{ ...ALPHA, keyCommand }] }, env, {
    clock,
    log: { info: note, error: note },
  });
  return { keys, stage };
}

it('a command prints the key, and is run again before the token ends that it states', async () => {
  const { keys, stage } = await byCommand(printing('{"access_token":"token-$N","expires_in":"600"}'));
  assert.is(keys.get('alpha'), 'token-1');
  stage.env.COUNT = '2';
  stage.now += 539_000;
  await keys.look();
  assert.is(keys.get('alpha'), 'token-1');
  stage.now += 2_000;
  await keys.look();
  assert.equal([...keys.values()], ['token-2', 'token-1']);
  const dated = await byCommand(printing('{"token":"token-$N","expires_at":"2001-09-09T02:46:40Z"}'));
  dated.stage.env.COUNT = '2';
  dated.stage.now += 3_290_000;
  await dated.keys.look();
  assert.is(dated.keys.get('alpha'), 'token-1');
  dated.stage.now += 20_000;
  await dated.keys.look();
  assert.is(dated.keys.get('alpha'), 'token-2');
});

it('a token without an end is printed anew every five minutes, and a failure keeps the last one', async () => {
  const script = "if (process.env.COUNT === 'x') process.exit(3); console.log('token-' + process.env.COUNT)";
  const { keys, stage } = await byCommand([process.execPath, '-e', script]);
  stage.env.COUNT = 'x';
  stage.now += 301_000;
  await keys.look();
  assert.is(keys.get('alpha'), 'token-1');
  assert.match(stage.lines.join(), /the key command of a provider failed; its last key stays .*exit code 3/);
  stage.env.COUNT = '2';
  stage.now += 9_000;
  await keys.look();
  assert.is(keys.get('alpha'), 'token-1');
  stage.now += 2_000;
  await keys.look();
  assert.is(keys.get('alpha'), 'token-2');
});

it('a command that prints no key is refused at the start, and its output is never quoted', async () => {
  const faultOf = async (command: readonly string[]): Promise<string> => {
    try {
      await byCommand(command);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it was accepted');
  };
  assert.match(await faultOf(['/no/such/program']), /providers\[0\]\.keyCommand: \/no\/such\/program does not exist/);
  for (const output of ['', 'sesame two', '{"sesame":1}', '{sesame', '{"token":"sesame two"}']) {
    const fault = await faultOf(printing(output));
    assert.match(fault, /^providers\[0\]\.keyCommand: the output of /);
    assert.not.match(fault, /sesame/);
  }
});

it('a command that ignores the end of its time is killed, and with it nothing else waits', async () => {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const command = { command: [process.execPath, '-e', script], env: {}, member: 'm', limitMs: 500 };
  const fault = await runKeyCommand(command, 0).then(String, (error: Error) => error.message);
  assert.match(fault, /did not end within 500 ms/);
});

it('the access key that the tool of Amazon prints in several lines is one line, until its end', async () => {
  const access = (session: string) => ({
    AccessKeyId: 'AKIDEXAMPLE',
    SecretAccessKey: 'sesame',
    SessionToken: `session-${session}`,
  });
  const printed = { Version: 1, ...access('$N'), Expiration: '2001-09-09T02:46:40+00:00' };
  const { keys, stage } = await byCommand(printing(JSON.stringify(printed, null, 4)));
  stage.env.COUNT = '2';
  for (const [passedMs, session] of [
    [3_290_000, '1'],
    [20_000, '2'],
  ] as const) {
    stage.now += passedMs;
    await keys.look();
    assert.is(keys.get('alpha'), JSON.stringify(access(session)));
  }
});

test.run();
