/** The question that waits, if any. */
import { Dialog } from './dialog.tsx';
import { question } from './question.ts';

export function QuestionDialog() {
  const asked = question.value;
  if (asked === undefined) return null;
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <p>{asked.text}</p>
      <div class="answers">
        <button type="button" onClick={() => asked.answer(false)}>
          Back
        </button>
        <button
          type="button"
          // biome-ignore lint/a11y/noAutofocus: in a dialog the answer is where the focus belongs
          autoFocus
          class={asked.danger ? 'danger' : 'primary'}
          onClick={() => asked.answer(true)}
        >
          {asked.action}
        </button>
      </div>
    </Dialog>
  );
}
