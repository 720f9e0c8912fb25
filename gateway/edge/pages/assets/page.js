/* Small conveniences; every page works without this file. */

/* A button with data-copy="id" copies the text of that element. Without a script the button is hidden. */
for (const button of document.querySelectorAll('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy);
  if (source === null || navigator.clipboard === undefined) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

/* A form is sent once, however often its button is pressed. */
for (const form of document.querySelectorAll('form[data-once]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent === 'yes') event.preventDefault();
    form.dataset.sent = 'yes';
  });
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-once]')) delete form.dataset.sent;
});

/* On a narrow screen the navigation of the account scrolls: the current page is in view. */
document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

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
      for (const selector of ['.flow', '.heading']) {
        document.querySelector(selector)?.replaceWith(loaded.querySelector(selector) ?? '');
      }
    } catch {
      /* The next try may reach the service again. */
    }
  }
  setTimeout(refreshLive, LIVE_MS, times + 1);
}
setTimeout(refreshLive, LIVE_MS, 0);
