"use client";

import { ActionIcon, Menu } from "@mantine/core";
import {
  IconDots,
  IconExternalLink,
  IconList,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from "@tabler/icons-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { KeyRow } from "./key";
import { useSetStatus } from "./use-set-status";

const DeleteKey = dynamic(() => import("./delete-key").then((module) => module.DeleteKey), { ssr: false });

/** What can be done with one key of the list. */
export function KeyMenu({ entry }: { entry: KeyRow }) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  const [isDeleting, setDeleting] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const setStatus = useSetStatus(entry);
  const isActive = entry.status === "active";
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            aria-label={common("moreActions", { name: entry.name })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={Link}
            href={`/keys/${entry.id}`}
            leftSection={<IconExternalLink size={16} aria-hidden />}
          >
            {t("open")}
          </Menu.Item>
          <Menu.Item
            component={Link}
            href={`/requests?key=${entry.id}`}
            leftSection={<IconList size={16} aria-hidden />}
          >
            {t("requests")}
          </Menu.Item>
          <Menu.Item
            leftSection={
              isActive ? <IconPlayerPause size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />
            }
            onClick={() => setStatus(isActive ? "disabled" : "active")}
          >
            {t(isActive ? "disable" : "enable")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setDeleting(true)}
          >
            {t("delete")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
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
