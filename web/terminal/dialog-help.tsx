/** Keys, appearance, and where everything else is. */
import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ACTIONS, keyOf } from './keyboard.ts';
import { confirmOrders, keyChoices, keysOn, palette, theme } from './settings.ts';
import { session } from './venue.ts';
import { close } from './windows.ts';

const shown = (key: string): string => (key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key);

export function HelpDialog() {
  const changing = useSignal<string | undefined>(undefined);
  return (
    <Dialog title="Help and settings" onClose={close}>
      <div class="settings">
        <Choice
          label="Theme"
          options={[
            ['system', 'System'],
            ['dark', 'Dark'],
            ['light', 'Light'],
          ]}
          value={theme.value}
          onChange={(next) => {
            theme.value = next;
          }}
        />
        <Choice
          label="Colours of up and down"
          options={[
            ['green-red', 'Green / red'],
            ['blue-orange', 'Blue / orange'],
          ]}
          value={palette.value}
          onChange={(next) => {
            palette.value = next;
          }}
        />
        {(
          [
            ['Ask before market orders and cancel-all', confirmOrders],
            ['Keys on', keysOn],
          ] as const
        ).map(([label, value]) => (
          <label key={label} class="check">
            <input
              type="checkbox"
              checked={value.value}
              onChange={({ currentTarget }) => {
                value.value = currentTarget.checked;
              }}
            />
            {label}
          </label>
        ))}
      </div>
      <h3>Keys</h3>
      <p class="note">Press one to change it. They rest while you type.</p>
      <dl class="keys">
        {ACTIONS.map((action) => (
          <div key={action.name}>
            <dt>
              <button
                type="button"
                class="key"
                aria-label={`${changing.value === action.name ? '…' : shown(keyOf(action))}: ${action.words}`}
                onClick={() => {
                  changing.value = action.name;
                }}
                onKeyDown={(event) => {
                  if (changing.value !== action.name || event.key === 'Tab' || event.key === 'Escape') return;
                  event.preventDefault();
                  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
                  keyChoices.value = { ...keyChoices.value, [action.name]: key };
                  changing.value = undefined;
                }}
              >
                {changing.value === action.name ? '…' : shown(keyOf(action))}
              </button>
            </dt>
            <dd>{action.words}</dd>
          </div>
        ))}
      </dl>
      <button
        type="button"
        onClick={() => {
          keyChoices.value = {};
        }}
      >
        Keys as they were
      </button>
      <h3>Elsewhere</h3>
      <p class="note">
        <a href="/docs">Reference of the interface</a> · <a href="/about">About this exchange</a> ·{' '}
        <a href="/licences">Licences</a> · version {session.value?.version}
      </p>
    </Dialog>
  );
}
