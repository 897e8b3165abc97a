/** All calls by group, the streams and the codes. The group of what is shown is open. */
import type { Message, Operation } from './documents.ts';
import { calls, hrefOf, message, operation, place, streams } from './state.ts';

/** Messages of the streams by what they are. */
export const MESSAGE_GROUPS: readonly (readonly [title: string, fits: (message: Message) => boolean])[] = [
  ['Topics', ({ name }) => name.startsWith('push-')],
  ['Messages of the client', ({ direction }) => direction === 'receive'],
  ['Messages of the exchange', ({ name, direction }) => direction === 'send' && !name.startsWith('push-')],
];

export function Contents({ onFollow }: { readonly onFollow?: () => void }) {
  const { groups = [], operations = [] } = calls.value ?? {};
  const here = operation.value;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click
    <nav
      class="contents"
      aria-label="Contents"
      onClick={({ target }) => target instanceof HTMLAnchorElement && onFollow?.()}
    >
      <Place slug="" title="Conventions" />
      {groups.map((group) => (
        <Group
          key={group}
          title={group}
          open={here?.group === group}
          places={operations.filter((each) => each.group === group).map(placeOf)}
        />
      ))}
      <h2>Streams</h2>
      <Place slug="streams" title="Connections" />
      {MESSAGE_GROUPS.map(([title, fits]) => (
        <Group
          key={title}
          title={title}
          open={message.value !== undefined && fits(message.value)}
          places={(streams.value?.messages ?? [])
            .filter(fits)
            .map(({ slug }) => ({ slug: `streams/${slug}`, title: slug }))}
        />
      ))}
      <h2>Errors</h2>
      <Place slug="errors" title="Codes and what to do" />
    </nav>
  );
}

interface PlaceProps {
  readonly slug: string;
  readonly title: string;
  readonly method?: string;
}

const placeOf = ({ slug, method }: Operation): PlaceProps => ({
  slug,
  method,
  title: slug.replace(/^[^/]+\//, '').replace(/\/(?:get|post)$/, ''),
});

function Place({ slug, title, method }: PlaceProps) {
  const here = operation.value?.slug ?? place.value;
  return (
    <a class="place" href={hrefOf(slug)} aria-current={here === slug ? 'page' : undefined}>
      {method !== undefined && <span class={`method ${method.toLowerCase()}`}>{method}</span>}
      {title}
    </a>
  );
}

function Group({
  title,
  open,
  places,
}: {
  readonly title: string;
  readonly open: boolean;
  readonly places: readonly PlaceProps[];
}) {
  return (
    <details open={open}>
      <summary>
        {title} <small>{places.length}</small>
      </summary>
      {places.map((each) => (
        <Place key={each.slug} {...each} />
      ))}
    </details>
  );
}
