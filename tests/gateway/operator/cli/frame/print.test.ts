import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pairs, table, visible } from '../../../../../gateway/operator/cli/frame/print.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

it('a name of a customer steers no terminal, and begins no line and no column', () => {
  const name = 'a\u001b]0;x\u0007\n0.00\tb\u009b2J\u202ec';
  const shown = 'a\\u001b]0;x\\u0007\\u000a0.00\\u0009b\\u009b2J\\u202ec';
  assert.is(table(['NAME', 'USD'], [[name, '1']]), `${'NAME'.padEnd(shown.length)}  USD\n${shown}  1`);
  assert.is(pairs({ name, status: null, held: 1 }), `name  ${shown}\nheld  1`);
  assert.is(visible('{\n  "name": "\u001b[31m\u2028"\n}'), '{\n  "name": "\\u001b[31m\\u2028"\n}');
  assert.is(visible('Zo\u00eb, \u65e5\u672c \ud83d\ude00'), 'Zo\u00eb, \u65e5\u672c \ud83d\ude00');
});

test.run();
