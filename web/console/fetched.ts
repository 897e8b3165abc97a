/** What a page shows, fetched when it opens, after each action, and again now and then. */
import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Answer, call, revision } from './operator.ts';

const AGAIN_MS = 5_000;

/** Without a path nothing is asked. */
export function useFetched<Data>(
  path: string | undefined,
  againMs = AGAIN_MS,
): ReadonlySignal<Answer<Data> | undefined> {
  const answer: Signal<Answer<Data> | undefined> = useSignal(undefined);
  const wanted = useSignal(path);
  wanted.value = path;
  const fetchPath = async (asked: string | undefined) => {
    const got = asked === undefined ? undefined : await call<Data>('GET', asked);
    if (asked === wanted.peek()) answer.value = got;
  };
  useSignalEffect(() => {
    // Read, so that an action fetches again.
    if (revision.value >= 0) void fetchPath(wanted.value);
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void fetchPath(wanted.peek());
    }, againMs);
    return () => clearInterval(timer);
  }, []);
  return answer;
}
