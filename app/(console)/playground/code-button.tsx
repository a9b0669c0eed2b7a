import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCode } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import type { CodeProps } from "./code-dialog";

const CodeDialog = onDemand(() => import("./code-dialog").then((module) => module.CodeDialog));

/** Shows the current call as code. */
export function CodeButton(props: CodeProps) {
  const t = useTranslations("playground");
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={open}>
        {t("copyAsCode")}
      </Button>
      <CodeDialog isOpen={isOpen} onClose={close} {...props} />
    </>
  );
}
