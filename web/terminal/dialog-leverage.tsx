/** Leverage and margin mode of the open contract. */
import { useSignal } from '@preact/signals';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { contractSetup } from './account.ts';
import { setLeverage } from './actions.ts';
import { instrument } from './market.ts';
import { tiers } from './terms.ts';
import { close } from './windows.ts';

export function LeverageDialog() {
  const setup = contractSetup.value;
  const leverage = useSignal(setup.leverage);
  const mode = useSignal<'crossed' | 'isolated'>(setup.marginMode);
  const most = instrument.value?.maxLeverage ?? '1';
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await setLeverage(leverage.value, mode.value)) close();
  };
  return (
    <Dialog title={`${instrument.value?.symbol} margin`} onClose={close}>
      <form class="stacked" onSubmit={(event) => void send(event)}>
        <Choice
          label="Margin mode"
          options={[
            ['crossed', 'Cross'],
            ['isolated', 'Isolated'],
          ]}
          value={mode.value}
          onChange={(next) => {
            mode.value = next;
          }}
        />
        <label>
          Leverage {leverage.value}×
          <input
            type="range"
            min={instrument.value?.minLeverage ?? '1'}
            max={most}
            value={leverage.value}
            onInput={({ currentTarget }) => {
              leverage.value = currentTarget.value;
            }}
          />
        </label>
        <p class="note">
          {mode.value === 'crossed'
            ? 'Cross: the whole account stands behind the position.'
            : 'Isolated: only the margin of the position is at stake. The mode changes only while nothing is open.'}
        </p>
        {tiers.value.length > 0 && (
          <p class="note">
            Positions above {Number(tiers.value[1]?.minTierValue ?? 0).toLocaleString('en-US')}{' '}
            {instrument.value?.quoteCoin} allow at most {tiers.value[1]?.leverage}×.
          </p>
        )}
        <button type="submit" class="primary">
          Set
        </button>
      </form>
    </Dialog>
  );
}
