/* Shows the OpenAPI document of this site. Nothing is fetched from elsewhere, and entered keys are not stored. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);

const place = document.getElementById('api');
window.SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
});
