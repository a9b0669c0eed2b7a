import { Box } from "@mantine/core";
import { CopyButton } from "./copy-button";
import { ScrollRegion } from "./scroll-region";

/** Text to copy. `label` names it for screen readers. */
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
