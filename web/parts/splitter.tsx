/** A border between two panels that can be dragged, or moved with the arrow keys; a double click puts it back. */
import type { Signal } from '@preact/signals';

interface SplitterProps {
  readonly label: string;
  readonly vertical: boolean;
  /** Pixels of the panel behind the border; zero lets the layout choose. */
  readonly size: Signal<number>;
  readonly least: number;
  readonly most: number;
}

const STEP = 16;

export function Splitter({ label, vertical, size, least, most }: SplitterProps) {
  const clamp = (pixels: number) => Math.round(Math.min(most, Math.max(least, pixels)));
  const panelOf = (element: HTMLElement) => {
    const panel = element.nextElementSibling as HTMLElement;
    return vertical ? panel.offsetWidth : panel.offsetHeight;
  };
  const drag = (event: PointerEvent) => {
    const element = event.currentTarget as HTMLElement;
    const from = vertical ? event.clientX : event.clientY;
    const before = panelOf(element);
    element.setPointerCapture(event.pointerId);
    const move = (to: PointerEvent) => {
      size.value = clamp(before + from - (vertical ? to.clientX : to.clientY));
    };
    element.addEventListener('pointermove', move);
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', move), {
      once: true,
    });
  };
  const keys = (event: KeyboardEvent) => {
    const change = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[event.key];
    if (change === undefined) return;
    event.preventDefault();
    size.value = clamp(panelOf(event.currentTarget as HTMLElement) + change);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be dragged
    <div
      class={`splitter ${vertical ? 'vertical' : 'horizontal'}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={vertical ? 'vertical' : 'horizontal'}
      aria-valuenow={size.value}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={drag}
      onKeyDown={keys}
      onDblClick={() => {
        size.value = 0;
      }}
    />
  );
}
