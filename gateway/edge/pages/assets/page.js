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
