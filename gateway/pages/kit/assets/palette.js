/* The palette: the answer of /find in a dialog, by keyboard. Without this file the link in the header opens that page. */

const ASK_AFTER_MS = 150;
const USAGE = 'Enter opens, arrows move, Escape closes';

const palette = document.querySelector('dialog.palette');
const input = palette.querySelector('input');
const list = palette.querySelector('.offers');
const status = palette.querySelector('[role="status"]');
const link = document.querySelector('.find');
let at = 0;
let waiting;
let asking;

function open() {
  if (palette.open) return;
  palette.showModal();
  input.value = '';
  void show();
}

/* Marks one of the offers; the field keeps the focus. */
function choose(index) {
  const offers = [...list.children];
  at = offers.length === 0 ? 0 : (index + offers.length) % offers.length;
  for (const [i, each] of offers.entries()) each.setAttribute('aria-selected', String(i === at));
  offers[at]?.scrollIntoView({ block: 'nearest' });
  if (offers.length === 0) input.removeAttribute('aria-activedescendant');
  else input.setAttribute('aria-activedescendant', offers[at].id);
}

async function show() {
  asking?.abort();
  asking = new AbortController();
  const address = `/find?${new URLSearchParams({ q: input.value })}`;
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' }, signal: asking.signal });
    const loaded = new DOMParser().parseFromString(await answer.text(), 'text/html');
    offer([...signOut(), ...loaded.querySelectorAll('#found a')]);
    status.textContent = list.children.length > 0 ? USAGE : 'Nothing has this id or name.';
  } catch (error) {
    if (error.name !== 'AbortError') status.textContent = 'The service does not answer; the next key asks again.';
  }
}

function offer(links) {
  for (const [i, each] of links.entries()) {
    each.id = `offer-${i}`;
    each.role = 'option';
    each.tabIndex = -1;
  }
  list.replaceChildren(...links);
  choose(0);
}

/* The one action that is a form of the page. */
function signOut() {
  const form = document.querySelector('form.person');
  if (form === null || input.value.trim() === '' || !'sign out'.includes(input.value.trim().toLowerCase())) return [];
  const action = document.createElement('a');
  action.append('Sign out');
  action.addEventListener('click', () => form.requestSubmit());
  return [action];
}

input.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(show, ASK_AFTER_MS);
});
input.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
  if (step !== 0) choose(at + step);
  else if (event.key === 'Enter') list.children[at]?.click();
  else return;
  event.preventDefault();
});
list.addEventListener('click', () => palette.close());
link.addEventListener('click', (event) => {
  event.preventDefault();
  open();
});
link.querySelector('kbd').hidden = false;
addEventListener('keydown', (event) => {
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  const isCtrlK = event.key === 'k' && (event.ctrlKey || event.metaKey);
  if (!isCtrlK && (event.key !== '/' || isField)) return;
  event.preventDefault();
  open();
});
