import { Box } from "@mantine/core";
import { ScrollRegion } from "../tables/scroll-region";
import { CopyButton } from "./copy-button";
import { piecesOf } from "./highlight";

type Props = {
  code: string;
  /** Names the text for screen readers. */
  label: string;
  /** As in Markdown. Left out: text without colours. */
  language?: string | undefined;
};

/** Text to copy. */
export function CodeBlock({ code, label, language = "text" }: Props) {
  return (
    <Box className="code-block">
      <ScrollRegion label={label}>
        <pre>
          {piecesOf(code, language).map(({ text, kind }, index) =>
            kind === null ? (
              text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change their order
              <span key={index} data-kind={kind}>
                {text}
              </span>
            ),
          )}
        </pre>
      </ScrollRegion>
      <CopyButton value={code} label={label} />
    </Box>
  );
}
