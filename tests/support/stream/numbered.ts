/** After its tag a simulator either numbers its words or lists the media of the request. */
const TAG = /^sim-[a-z-]+:\d+ (?=x\d|$)/;

/**
 * False for text of a simulated provider in which a word is missing, doubled or from another call. The provider numbers
 * its words after the tag of the call (`x1 x2 x3`), and its reasoning likewise (`r1 r2`). Truncated text is valid;
 * other text is not judged. (rule I59)
 */
export function isUnbroken(text: string): boolean {
  const tagged = TAG.exec(text);
  if (tagged !== null) return isNumbered(text.slice(tagged[0].length), 'x');
  return /^r1 /.test(text) ? isNumbered(text, 'r') : true;
}

function isNumbered(text: string, letter: string): boolean {
  const words = text.split(' ').filter((word) => word !== '');
  return words.every((word, at) => word === `${letter}${at + 1}`);
}
