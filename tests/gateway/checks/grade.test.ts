import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Grader, isRight } from '../../../gateway/checks/benchmarker.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('grades the last line, the last number, or the last letter of an answer', () => {
  const table: readonly (readonly [Grader, string, string, boolean])[] = [
    ['exact', 'Thinking...\n**Lisbon.**\n', 'lisbon', true],
    ['exact', 'Lisbon\nor Porto', 'Lisbon', false],
    ['exact', '', 'Lisbon', false],
    ['number', 'First 12, then 30. So it is 1,042.50 in all.', '1042.5', true],
    ['number', 'The answer is -7', '-7', true],
    ['number', 'It is 007', '7', true],
    ['number', '41 or 42', '41', false],
    ['number', 'forty-two', '42', false],
    ['choice', 'A is wrong, so the answer is (C).', 'C', true],
    ['choice', 'Can be anything', 'C', false],
    ['choice', 'B', 'C', false],
  ];
  for (const [grader, text, expected, right] of table) assert.is(isRight(grader, text, expected), right, text);
});

test.run();
