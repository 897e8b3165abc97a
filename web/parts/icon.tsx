/** Drawn signs. They say nothing to a screen reader: the button around them does. */

const PATHS = {
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5L14 14',
  star: 'M8 2l1.8 3.8 4.2.5-3.1 2.8.8 4.1L8 11.1l-3.7 2.1.8-4.1L2 6.3l4.2-.5z',
  down: 'M4 6l4 4 4-4',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  half: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M10 3v10M12 4.5v7',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  help: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.7.4-1.1.8-1.1 1.6M8 12.5v.5',
  both: 'M3 4h10M3 8h10M3 12h10',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, filled = false }: { readonly name: IconName; readonly filled?: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" data-filled={filled}>
      <path d={PATHS[name]} />
    </svg>
  );
}
