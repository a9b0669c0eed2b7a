import { ActionIcon } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../data/on-demand";
import type { Viewer } from "./navigation";

// Fetched when it is first opened, so that no page waits for it.
const PaletteDialog = onDemand(() => import("./palette-dialog").then((module) => module.PaletteDialog));

/** Ctrl or Cmd + K. */
export function CommandPalette({ role }: { role: Viewer["role"] }) {
  const t = useTranslations("shell");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t("palette")}
        // `earlyClicks` clicks it then.
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <IconSearch size={20} aria-hidden />
      </ActionIcon>
      {isOpen && <PaletteDialog role={role} onClose={() => setOpen(false)} />}
    </>
  );
}
