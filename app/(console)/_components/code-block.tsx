import { Box } from "@mantine/core";
import { CopyButton } from "./copy-button";
import { ScrollRegion } from "./scroll-region";

/** Text to be copied as it stands. `label` names it for readers who cannot see it. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <Box className="code-block">
      <ScrollRegion label={label}>
        <pre>{code}</pre>
      </ScrollRegion>
      <CopyButton value={code} label={label} />
    </Box>
  );
}
