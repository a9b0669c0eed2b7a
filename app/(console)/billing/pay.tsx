import { Button } from "@mantine/core";
import { IconCreditCard } from "@tabler/icons-react";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { useInstallation } from "../_components/text/installation";

const PayDialog = onDemand(() => import("./pay-dialog").then((module) => module.PayDialog));

/** The owner's top-up button and dialog, if this installation takes payments; a link can open it (`?pay=true`). */
export function Pay() {
  const t = useTranslations("payments");
  const { payments: terms } = useInstallation();
  const [isOpen, setOpen] = useQueryState(
    "pay",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  if (terms === null) {
    return null;
  }
  return (
    <>
      <Button leftSection={<IconCreditCard size={16} aria-hidden />} onClick={() => void setOpen(true)}>
        {t("pay")}
      </Button>
      {isOpen && <PayDialog terms={terms} onClose={() => void setOpen(null, { history: "replace" })} />}
    </>
  );
}
