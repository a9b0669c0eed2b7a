import { Box } from "@mantine/core";
import { ScrollRegion } from "../tables/scroll-region";
import { CopyButton } from "./copy-button";

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
