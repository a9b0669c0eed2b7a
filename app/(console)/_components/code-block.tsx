import { Box } from "@mantine/core";
import { CopyButton } from "./copy-button";

/** Text to be copied as it stands. `label` names it for readers who cannot see it. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section aria-label={label} tabIndex={0}>
        <pre>{code}</pre>
      </section>
      <CopyButton value={code} label={label} />
    </Box>
  );
}
