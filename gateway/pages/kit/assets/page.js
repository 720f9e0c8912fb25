/* Small conveniences; every page works without this file. */

const TYPING_MS = 250;

/* What a part of the page needs of this file; called again for a part that is loaded later. */
function arm(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) armCopy(button);
  for (const form of root.querySelectorAll('form[data-once]')) armOnce(form);
  for (const form of root.querySelectorAll('form[data-filter]')) armFilter(form);
}

/* A button with data-copy="id" copies the text of that element. Without a script the button is hidden. */
function armCopy(button) {
  const source = document.getElementById(button.dataset.copy);
  if (source === null || navigator.clipboard === undefined) return;
  const label = [...button.childNodes];
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = 'Copied';
    setTimeout(() => button.replaceChildren(...label), 2000);
  });
}

/* A form is sent once, however often its button is pressed. */
function armOnce(form) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'yes') event.preventDefault();
    form.dataset.sent = 'yes';
  });
}

/* Puts the parts of a loaded page in the place of those shown. */
function replaceParts(loaded, selectors) {
  for (const selector of selectors) {
    const part = loaded.querySelector(selector);
    if (part === null) continue;
    document.querySelector(selector)?.replaceWith(part);
    arm(part);
  }
}

arm(document);
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-once]')) delete form.dataset.sent;
});

/* A group that only a wide screen has room for is closed on a narrow one. */
if (matchMedia('(max-width: 52rem)').matches) {
  for (const group of document.querySelectorAll('details[data-wide]')) group.open = false;
}

/* On a narrow screen the navigation of the account scrolls: the current page is in view. `scrollIntoView` would do the
   same and begin the order of the Tab key there. */
const current = document.querySelector('.tabs [aria-current]');
if (current !== null) {
  const tabs = current.closest('.tabs');
  tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
}

/* A page with something that still moves loads that part again, until it is at rest or nobody looks for an hour. */
const LIVE_MS = 3000;
const LIVE_TIMES_MAX = 1200;
async function refreshLive(times) {
  const shown = document.querySelector('[data-live]');
  if (shown === null || times === LIVE_TIMES_MAX) return;
  const isBusy = document.hidden || shown.contains(document.activeElement);
  if (!isBusy) {
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
      if (answer.redirected || !answer.ok) return;
      const loaded = new DOMParser().parseFromString(await answer.text(), 'text/html');
      replaceParts(loaded, ['.flow', '.page-head']);
    } catch {
      /* The next try may reach the service again. */
    }
  }
  setTimeout(refreshLive, LIVE_MS, times + 1);
}
setTimeout(refreshLive, LIVE_MS, 0);

/* A form with data-filter shows its answer in that element while a person types; without a script its button does. */
function armFilter(form) {
  let waiting;
  let asking;
  const show = async () => {
    const fields = [...new FormData(form)].filter(([, value]) => value !== '');
    const address = `${form.getAttribute('action')}?${new URLSearchParams(fields)}`;
    asking?.abort();
    asking = new AbortController();
    try {
      const answer = await fetch(address, { headers: { accept: 'text/html' }, signal: asking.signal });
      const loaded = new DOMParser().parseFromString(await answer.text(), 'text/html');
      replaceParts(loaded, [form.dataset.filter, '#count']);
      history.replaceState(null, '', address);
    } catch {
      /* A newer question took its place, or the service is away: the button asks again. */
    }
  };
  form.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, TYPING_MS);
  });
}
