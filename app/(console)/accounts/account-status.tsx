import { IconCheck, IconX } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import type { Status } from "@/server/domain/enums";
import { StatusBadge, type StatusLook } from "../_components/tables/status-badge";

const looks: Record<Status, StatusLook> = {
  active: { tone: "good", icon: IconCheck },
  disabled: { tone: "bad", icon: IconX },
};

export function AccountStatus({ status }: { status: Status }) {
  const t = useTranslations("common");
  return <StatusBadge {...looks[status]}>{t(status)}</StatusBadge>;
}
