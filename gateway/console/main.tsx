/** The operator's console: starts in the browser, asks who is signed in, and shows the pages or the way in. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type OperatorSession, onSessionEnd } from './client/api.ts';
import { Changes, SignedIn } from './kit/change.tsx';
import { Shell } from './shell.tsx';
import { openSession, SignIn } from './sign-in.tsx';
import './console.css';

const AGAIN_MS = 2_000;

/** `undefined` until the node has answered. */
function Console() {
  const [session, setSession] = useState<OperatorSession | null | undefined>(undefined);
  const [isAway, setAway] = useState(false);
  useEffect(() => onSessionEnd(() => setSession(null)), []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = (): void => {
      openSession().then(setSession, () => {
        setAway(true);
        timer = setTimeout(ask, AGAIN_MS);
      });
    };
    ask();
    return () => clearTimeout(timer);
  }, []);
  if (session === undefined) return <p class="starting">{isAway ? 'The node does not answer; asking again.' : ''}</p>;
  if (session === null) return <SignIn opened={setSession} />;
  return (
    <SignedIn.Provider value={session}>
      <Changes>
        <Shell session={session} ended={() => setSession(null)} />
      </Changes>
    </SignedIn.Provider>
  );
}

const home = document.getElementById('console');
if (home !== null) render(<Console />, home);
