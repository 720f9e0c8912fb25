/** The command palette: finds any id, any actor, any page and any action by keyboard. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiFault, get, type Page } from '../client/api.ts';
import { go } from '../client/place.ts';

/** A place or an action that the palette offers without asking the node. */
export interface Command {
  readonly name: string;
  readonly hint: string;
  readonly run: () => void;
}

interface Found {
  readonly what: string;
  readonly id: string;
  readonly label: string;
  /** A path of the console. */
  readonly path: string;
}

const ASK_AFTER_MS = 150;
const SHOWN_MAX = 12;

/** Opens with Ctrl K, or Cmd K, or a slash. */
export function Palette({ commands, open, close }: { commands: readonly Command[]; open: boolean; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next paint, so that no key that follows the shortcut is lost.
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="palette" onClose={close} aria-label="Find anything">
      {open && <Finder commands={commands} close={close} />}
    </dialog>
  );
}

function Finder({ commands, close }: { readonly commands: readonly Command[]; readonly close: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { found, words } = useFound(text);
  const offered = [...found, ...matching(commands, text)].slice(0, SHOWN_MAX);
  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const key = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((at + step + offered.length) % Math.max(1, offered.length));
    else if (event.key === 'Enter') choose(offered[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label="An id, a name, an address, a page or an action"
        aria-expanded="true"
        aria-controls="offered"
        aria-activedescendant={offered.length > 0 ? `offer-${at}` : undefined}
        placeholder="batch_…, gen-…, acct_…, the beginning of a name, a page"
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={key}
      />
      <div id="offered" class="offers" role="listbox" aria-label="What was found" tabIndex={-1}>
        {offered.map((command, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keyboard
          <div
            key={`${command.hint} ${command.name}`}
            id={`offer-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => choose(command)}
          >
            <span>{command.name}</span>
            <span class="muted">{command.hint}</span>
          </div>
        ))}
      </div>
      <p class="muted" role="status">
        {offered.length === 0 ? words : 'Enter opens, arrows move, Escape closes'}
      </p>
    </>
  );
}

function matching(commands: readonly Command[], text: string): readonly Command[] {
  const wanted = text.trim().toLowerCase();
  return commands.filter(({ name, hint }) => `${name} ${hint}`.toLowerCase().includes(wanted));
}

/** Asks the node shortly after the last key. */
function useFound(text: string): { readonly found: readonly Command[]; readonly words: string } {
  const [state, setState] = useState<{ found: readonly Command[]; words: string }>({ found: [], words: '' });
  const wanted = text.trim();
  useEffect(() => {
    setState({ found: [], words: '' });
    if (wanted === '') return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      void search(wanted).then((next) => {
        if (isCurrent) setState(next);
      });
    }, ASK_AFTER_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  return state;
}

async function search(q: string): Promise<{ readonly found: readonly Command[]; readonly words: string }> {
  try {
    const { data } = await get<Page<Found>>('/api/search', { q });
    const found = data.map(({ what, id, label, path }) => ({
      name: label,
      hint: label === id ? what : `${what} ${id}`,
      run: () => go(path),
    }));
    return { found, words: 'Nothing has this id or name.' };
  } catch (error) {
    return { found: [], words: error instanceof ApiFault ? error.message : String(error) };
  }
}
