import {
  IconDots,
  IconExternalLink,
  IconList,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { ActionMenu } from "../_components/action-menu";
import { onDemand } from "../_components/on-demand";
import type { KeyRow } from "./key";
import { useSetStatus } from "./use-set-status";

const DeleteKey = onDemand(() => import("./delete-key").then((module) => module.DeleteKey));

/** What can be done with one key of the list. */
export function KeyMenu({ entry }: { entry: KeyRow }) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  const [isDeleting, setDeleting] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { setStatus, isPending } = useSetStatus(entry);
  const isActive = entry.status === "active";
  return (
    <>
      <ActionMenu
        label={common("moreActions", { name: entry.name })}
        icon={<IconDots size={18} aria-hidden />}
        button={button}
        entries={[
          { label: t("open"), icon: IconExternalLink, href: addresses.key(entry.id) },
          { label: t("requests"), icon: IconList, href: addresses.requests({ key: entry.id }) },
          {
            label: t(isActive ? "disable" : "enable"),
            icon: isActive ? IconPlayerPause : IconPlayerPlay,
            isDisabled: isPending,
            onChoose: () => setStatus(isActive ? "disabled" : "active"),
          },
          { label: t("delete"), icon: IconTrash, isDanger: true, onChoose: () => setDeleting(true) },
        ]}
      />
      {isDeleting && (
        <DeleteKey
          entry={entry}
          onClose={() => {
            setDeleting(false);
            button.current?.focus();
          }}
          onDeleted={() => {
            setDeleting(false);
            // The row goes, its button with it.
            document.getElementById("content")?.focus();
          }}
        />
      )}
    </>
  );
}
