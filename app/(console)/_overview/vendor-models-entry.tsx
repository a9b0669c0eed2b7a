import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { ActionLink, Entry } from "./attention-entry";
import type { Attention } from "./overview";

/** A vendor's list has changed since an operator looked at it. */
export function VendorModelsEntry({ entry }: { entry: Attention["vendorModels"][number] }) {
  const t = useTranslations("overview");
  const common = useTranslations("common");
  const sale = useTranslations("sale");
  const format = useFormatter();
  const { channelId, channel, added, gone, names } = entry;
  const more = added + gone - names.length;
  return (
    <Entry
      action={
        <ActionLink permission="channels.write" href={addresses.channelModels(channelId)}>
          {t("seeModels")}
        </ActionLink>
      }
    >
      <Anchor component={Link} href={addresses.channel(channelId)} size="sm" fw={600}>
        {channel}
      </Anchor>
      <Text size="sm">
        {sale("changes", { added, gone })}
        {": "}
        {format.list(more > 0 ? [...names, common("more", { count: more })] : names)}
      </Text>
    </Entry>
  );
}
