/** A change: it wants a reason, says first what it would do, and names the command that does the same. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { ApiFault, type OperatorSession, post } from '../client/api.ts';

/** The session of the page; null while nobody is signed in. */
export const SignedIn = createContext<OperatorSession | null>(null);

/** A member of the change that the person fills in. */
interface Input {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'number';
  readonly value?: string;
}

interface ChangeProps {
  /** What the button says: a verb with its object. */
  readonly label: string;
  readonly path: string;
  readonly body?: object;
  readonly inputs?: readonly Input[];
  readonly isDangerous?: boolean;
  /** Called once it is done. */
  readonly done?: () => void;
}

const Opener = createContext<(change: ChangeProps) => void>(() => {});

/** Holds the open change, so that its outcome stays when the row with its button is gone. */
export function Changes({ children }: { readonly children: ComponentChildren }) {
  const [open, setOpen] = useState<ChangeProps | null>(null);
  return (
    <Opener.Provider value={setOpen}>
      {children}
      {open !== null && <ChangeDialog {...open} close={() => setOpen(null)} />}
    </Opener.Provider>
  );
}

/** A button that opens the change; disabled, with the reason, for a viewer. */
export function Change(props: ChangeProps) {
  const session = useContext(SignedIn);
  const open = useContext(Opener);
  const mayChange = session?.role === 'operator';
  return (
    <button
      type="button"
      class={props.isDangerous ? 'danger' : undefined}
      disabled={!mayChange}
      title={mayChange ? undefined : 'A viewer cannot change anything'}
      onClick={() => open(props)}
    >
      {props.label}
    </button>
  );
}

interface Told {
  readonly would?: string;
  readonly did?: string;
  readonly command?: string;
}

function ChangeDialog({
  label,
  path,
  body,
  inputs = [],
  isDangerous,
  done,
  close,
}: ChangeProps & { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries([...inputs.map(({ name, value = '' }) => [name, value]), ['reason', '']]),
  );
  const [told, setTold] = useState<Told | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);

  const send = async (isDry: boolean): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const members = { ...body, ...typed(inputs, values), reason: values.reason };
      setTold(await post<Told>(path, isDry ? { ...members, dryRun: true } : members));
      if (!isDry) done?.();
    } catch (error) {
      setTold(null);
      setFault(error instanceof ApiFault ? error.message : String(error));
    }
    setBusy(false);
  };
  const isDone = told?.did !== undefined;
  const submit = (event: Event): void => {
    event.preventDefault();
    void send(told?.would === undefined);
  };
  return (
    <dialog ref={dialog} onClose={close} aria-label={label}>
      <form onSubmit={submit}>
        <h2>{label}</h2>
        {!isDone &&
          [...inputs, REASON].map((input) => (
            <InputField
              key={input.name}
              input={input}
              value={values[input.name] ?? ''}
              set={(value) => {
                setTold(null);
                setValues((old) => ({ ...old, [input.name]: value }));
              }}
            />
          ))}
        <Outcome told={told} fault={fault} />
        <div class="actions">
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            {isDone ? 'Close' : 'Cancel'}
          </button>
          {!isDone && (
            <button type="submit" class={told?.would && isDangerous ? 'danger' : 'primary'} disabled={busy}>
              {told?.would === undefined ? 'Show what it would do' : label}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

const REASON: Input = { name: 'reason', label: 'Reason, for the audit log' };

function typed(inputs: readonly Input[], values: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    inputs.map(({ name, type }) => [name, type === 'number' ? Number(values[name]) : (values[name] ?? '')]),
  );
}

function InputField({
  input,
  value,
  set,
}: {
  readonly input: Input;
  readonly value: string;
  readonly set: (value: string) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{input.label}</label>
      <input
        id={id}
        type="text"
        inputMode={input.type === 'number' ? 'numeric' : 'text'}
        value={value}
        required
        autocomplete="off"
        onInput={(event) => set(event.currentTarget.value)}
      />
    </div>
  );
}

function Outcome({ told, fault }: { readonly told: Told | null; readonly fault: string | null }) {
  return (
    <div aria-live="polite">
      {fault !== null && <p class="notice bad">{fault}</p>}
      {told?.would !== undefined && <p class="notice warn">{told.would}</p>}
      {told?.did !== undefined && <p class="notice good">{told.did}</p>}
      {told?.command !== undefined && (
        <p class="muted">
          The same by command: <code>{told.command}</code>
        </p>
      )}
    </div>
  );
}
