/** A modal dialog: the browser keeps the focus inside and gives it back at the end. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly kind?: 'sheet' | 'drawer' | 'box';
}

export function Dialog({ title, onClose, children, kind = 'box' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    // A dialog that leaves the page with its component does not give the focus back by itself.
    const before = document.activeElement;
    dialog.showModal();
    const outside = ({ target }: MouseEvent) => {
      if (target === dialog) onClose();
    };
    dialog.addEventListener('click', outside);
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={element} class={`dialog ${kind}`} aria-label={title} onCancel={cancel}>
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
