/** Notices in a corner of the page, and the spoken ones. */
import { Icon } from './icon.tsx';
import { dismiss, notices, spoken } from './notices.ts';

export function Notices() {
  return (
    <>
      <ul class="notices">
        {notices.value.map(({ id, tone, text, detail }) => (
          <li key={id} class={tone}>
            <span>
              <b>{text}</b> {detail}
            </span>
            <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <div class="sr" role="status" aria-live="polite">
        {spoken}
      </div>
    </>
  );
}
