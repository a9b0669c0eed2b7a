import { IconCheck, IconX } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import type { Status } from "@/server/base/facts";
import { StatusBadge } from "../_components/status-badge";

export function AccountStatus({ status }: { status: Status }) {
  const t = useTranslations("common");
  const Icon = status === "active" ? IconCheck : IconX;
  return (
    <StatusBadge tone={status === "active" ? "good" : "bad"} icon={<Icon size={12} />}>
      {t(status)}
    </StatusBadge>
  );
}
