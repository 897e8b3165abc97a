/** Which account signs: those of the demo, own keys, or none. */
import { useSignal } from '@preact/signals';
import { Dialog } from './dialog.tsx';
import { type AccountKey, accounts, addOwnKey, canSign, forgetKey, isDemo } from './keyring.ts';
import { notify } from './notices.ts';

interface AccountDialogProps {
  readonly chosen: AccountKey | undefined;
  readonly onChoose: (account: AccountKey | undefined) => void;
  readonly onClose: () => void;
}

export function AccountDialog({ chosen, onChoose, onClose }: AccountDialogProps) {
  const adding = useSignal(accounts.value.length === 0);
  const choose = (account: AccountKey | undefined) => {
    onChoose(account);
    onClose();
  };
  return (
    <Dialog title="Account" onClose={onClose}>
      {!canSign && (
        <p class="note">
          This page cannot sign here, because the browser gives it no cryptography over plain http. Open it on
          localhost, or put TLS in front.
        </p>
      )}
      <ul class="accounts">
        {accounts.value.map((each) => (
          <li key={each.id}>
            <button
              type="button"
              class={`account-choice colour-${each.colour}`}
              aria-pressed={each.id === chosen?.id}
              onClick={() => choose(each)}
            >
              <b>{each.name}</b> <small>{each.id}</small>
            </button>
            {!isDemo(each) && (
              <button type="button" class="link" onClick={() => void forgetKey(each.id)}>
                Forget
              </button>
            )}
          </li>
        ))}
        {chosen !== undefined && (
          <li>
            <button type="button" class="account-choice" onClick={() => choose(undefined)}>
              <b>No account</b> <small>only look</small>
            </button>
          </li>
        )}
      </ul>
      {canSign && !adding.value && (
        <button
          type="button"
          onClick={() => {
            adding.value = true;
          }}
        >
          Add a key
        </button>
      )}
      {canSign && adding.value && <KeyForm onAdded={choose} />}
    </Dialog>
  );
}

function KeyForm({ onAdded }: { readonly onAdded: (account: AccountKey) => void }) {
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const key = text('key');
    try {
      onAdded(
        await addOwnKey(
          text('name') || key,
          key,
          text('secret'),
          text('passphrase'),
          form.get('keep') !== null,
        ),
      );
    } catch {
      notify('bad', 'This secret cannot be used as a key');
    }
  };
  return (
    <form class="stacked" onSubmit={(event) => void send(event)}>
      <h3>An API key of your own</h3>
      <label>
        Name <input name="name" autocomplete="off" />
      </label>
      <label>
        API key <input name="key" required autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Secret key <input name="secret" type="password" required autocomplete="off" />
      </label>
      <label>
        Passphrase <input name="passphrase" type="password" required autocomplete="off" />
      </label>
      <label class="check">
        <input type="checkbox" name="keep" /> Keep it in this browser, as a key that signs and cannot be read
      </label>
      <button type="submit" class="primary">
        Use this key
      </button>
    </form>
  );
}
