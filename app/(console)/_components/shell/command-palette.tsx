import { UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../data/on-demand";
import type { Viewer } from "./navigation";

// Fetched when it is first opened, so that no page waits for it.
const PaletteDialog = onDemand(() => import("./palette-dialog").then((module) => module.PaletteDialog));

/** A button that looks like a field; also Ctrl or Cmd + K. */
export function CommandPalette({ role }: { role: Viewer["role"] }) {
  const t = useTranslations("shell");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <UnstyledButton
        type="button"
        className="palette-button search-keys"
        // `earlyClicks` clicks it then.
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <IconSearch size={18} stroke={1.8} aria-hidden />
        <span>{t("palettePlaceholder")}</span>
      </UnstyledButton>
      {isOpen && <PaletteDialog role={role} onClose={() => setOpen(false)} />}
    </>
  );
}
