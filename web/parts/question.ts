/** A question that waits for an answer; `question-dialog.tsx` shows it. */
import { signal } from '@preact/signals';

export interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly danger?: boolean;
}

export const question = signal<(Question & { readonly answer: (agreed: boolean) => void }) | undefined>(
  undefined,
);

export function ask(asked: Question): Promise<boolean> {
  question.value?.answer(false);
  return new Promise((resolve) => {
    question.value = {
      ...asked,
      answer: (agreed) => {
        question.value = undefined;
        resolve(agreed);
      },
    };
  });
}
