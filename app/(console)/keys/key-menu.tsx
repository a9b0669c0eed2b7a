import {
  IconCopy,
  IconDots,
  IconExternalLink,
  IconList,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { ActionMenu } from "../_components/fields/action-menu";
import { useMay } from "../_components/shell/viewer";
import type { KeyRow } from "./key";
import { type KeyDialog, KeyDialogs } from "./key-dialogs";
import { useSetStatus } from "./use-set-status";

/** The actions on one key of the list. */
export function KeyMenu({ entry }: { entry: KeyRow }) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  const [dialog, setDialog] = useState<KeyDialog | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const { setStatus, isPending } = useSetStatus(entry);
  const isActive = entry.status === "active";
  const mayWrite = useMay("keys.write");
  const changes = [
    {
      label: t(isActive ? "disable" : "enable"),
      icon: isActive ? IconPlayerPause : IconPlayerPlay,
      isDisabled: isPending,
      onChoose: () => setStatus(isActive ? "disabled" : "active"),
    },
    { label: t("rotate"), icon: IconRefresh, onChoose: () => setDialog("rotate") },
    { label: t("duplicate"), icon: IconCopy, onChoose: () => setDialog("duplicate") },
    { label: t("delete"), icon: IconTrash, isDanger: true, onChoose: () => setDialog("delete") },
  ];
  return (
    <>
      <ActionMenu
        label={common("moreActions", { name: entry.name })}
        icon={<IconDots size={18} aria-hidden />}
        button={button}
        entries={[
          { label: t("open"), icon: IconExternalLink, href: addresses.key(entry.id) },
          { label: t("requests"), icon: IconList, href: addresses.requests({ key: entry.id }) },
          ...(mayWrite ? changes : []),
        ]}
      />
      <KeyDialogs
        entry={entry}
        dialog={dialog}
        onClose={() => {
          setDialog(null);
          button.current?.focus();
        }}
        onDeleted={() => {
          setDialog(null);
          // The row disappears, and its button with it.
          document.getElementById("content")?.focus();
        }}
      />
    </>
  );
}
