import { Anchor } from "@mantine/core";
import type { Heading } from "./headings";

/** The page's headings, next to the page if the screen is wide enough; hidden on a phone. */
export const Contents = ({ headings, title }: { headings: Heading[]; title: string }) =>
  headings.length < 2 ? null : (
    <nav className="doc-contents" aria-label={title}>
      <p>{title}</p>
      <ul>
        {headings.map(({ id, text, depth }) => (
          <li key={id} data-depth={depth}>
            <Anchor href={`#${id}`} fz="sm">
              {text}
            </Anchor>
          </li>
        ))}
      </ul>
    </nav>
  );
