/** The way in: a token, a link that carries one, or the organisation's own sign-in. */
import { useEffect, useId, useState } from 'preact/hooks';
import mark from '../pages/kit/assets/mark.svg';
import { ApiFault, get, type OperatorSession, post, useSessionToken } from './client/api.ts';

/** A link of `troupe console` carries the token behind the `#`, which no server sees. */
const IN_LINK = /^#token=([\w.-]+)$/;

/** Signs in by the link's token if it has one; else reads the session. Null: nobody is signed in. */
export async function openSession(): Promise<OperatorSession | null> {
  const [, token] = IN_LINK.exec(location.hash) ?? [];
  if (token !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    await signInBy(token).catch(() => null);
  }
  try {
    const session = await get<OperatorSession>('/api/session');
    useSessionToken(session);
    return session;
  } catch (error) {
    if (error instanceof ApiFault && error.status === 401) return null;
    throw error;
  }
}

function signInBy(token: string): Promise<unknown> {
  return post('/api/session', { token });
}

export function SignIn({ opened }: { readonly opened: (session: OperatorSession) => void }) {
  const id = useId();
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [byOrganisation, setByOrganisation] = useState(false);
  useEffect(() => {
    get<{ readonly oidc: boolean }>('/api/session/ways').then(
      ({ oidc }) => setByOrganisation(oidc),
      () => {},
    );
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    setFault(null);
    try {
      await signInBy(String(new FormData(form).get('token')).trim());
      const session = await openSession();
      if (session !== null) opened(session);
    } catch (error) {
      setFault(error instanceof ApiFault ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <main class="sign-in" id="main">
      <h1 class="brand">
        <img src={mark} alt="" width="28" height="28" />
        Troupe console
      </h1>
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <div class="field">
          <label for={id}>Token of an operator or a viewer</label>
          <input id={id} name="token" type="password" required autocomplete="current-password" />
        </div>
        <div aria-live="polite">{fault !== null && <p class="notice bad">{fault}</p>}</div>
        <button type="submit" class="primary" disabled={busy}>
          Sign in
        </button>
        {byOrganisation && (
          <p>
            <a href="/api/session/oidc">Sign in with your organisation</a>
          </p>
        )}
        <p class="muted">
          <code>npx troupe console</code> on a host of the cluster prints a link that signs in.
        </p>
      </form>
    </main>
  );
}
