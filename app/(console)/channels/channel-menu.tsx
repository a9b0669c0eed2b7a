"use client";

import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconEdit, IconPlugConnected, IconTrash } from "@tabler/icons-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { ChannelRow } from "./channel";

const RemoveChannel = dynamic(() => import("./remove-channel").then((module) => module.RemoveChannel), {
  ssr: false,
});

export function ChannelMenu({ channel }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  const [isRemoving, setRemoving] = useState(false);
  const place = `/channels/${channel.id}`;
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={common("moreActions", { name: channel.name })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} href={place} leftSection={<IconEdit size={16} aria-hidden />}>
            {t("edit")}
          </Menu.Item>
          <Menu.Item
            component={Link}
            href={`${place}#test`}
            leftSection={<IconPlugConnected size={16} aria-hidden />}
          >
            {t("test")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setRemoving(true)}
          >
            {t("remove")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isRemoving && <RemoveChannel channel={channel} onClose={() => setRemoving(false)} />}
    </>
  );
}
