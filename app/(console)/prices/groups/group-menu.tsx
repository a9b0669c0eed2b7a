import { IconDots, IconEdit, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../../_components/data/on-demand";
import { ActionMenu } from "../../_components/fields/action-menu";
import type { PriceGroup } from "./price-group";

const GroupDialog = onDemand(() => import("./group-dialog").then((module) => module.GroupDialog));
const RemoveGroup = onDemand(() => import("./remove-group").then((module) => module.RemoveGroup));

export function GroupMenu({ group }: { group: PriceGroup }) {
  const t = useTranslations("priceGroups");
  const common = useTranslations("common");
  const [opened, setOpened] = useState<"edit" | "remove" | null>(null);
  const close = () => setOpened(null);
  return (
    <>
      <ActionMenu
        label={common("moreActions", { name: group.name })}
        icon={<IconDots size={18} aria-hidden />}
        entries={[
          { label: t("edit"), icon: IconEdit, onChoose: () => setOpened("edit") },
          { label: t("remove"), icon: IconTrash, isDanger: true, onChoose: () => setOpened("remove") },
        ]}
      />
      {opened === "edit" && <GroupDialog group={group} onClose={close} />}
      {opened === "remove" && <RemoveGroup group={group} onClose={close} />}
    </>
  );
}
