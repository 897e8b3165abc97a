/** The little Markdown that the documents have: paragraphs, lists, `code` and links to this server. */
import type { ComponentChildren } from 'preact';

const INLINE = /`([^`]+)`|\[([^\]]+)\]\((\/[^)]*)\)/g;

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, label, address] = found;
    parts.push(text.slice(from, found.index));
    parts.push(code === undefined ? <a href={address!}>{label}</a> : <code>{code}</code>);
    from = found.index + whole.length;
  }
  return [...parts, text.slice(from)];
}

export function Markdown({ text }: { readonly text: string }) {
  return (
    <>
      {text.split('\n\n').map((block) =>
        block.startsWith('- ') ? (
          <ul key={block} class="points">
            {block
              .slice(2)
              .split('\n- ')
              .map((item) => (
                <li key={item}>{inline(item)}</li>
              ))}
          </ul>
        ) : (
          <p key={block}>{inline(block)}</p>
        ),
      )}
    </>
  );
}
