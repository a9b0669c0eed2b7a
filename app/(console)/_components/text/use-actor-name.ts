import { useTranslations } from "use-intl";

/** `apply:LABEL`: configuration files with that label. */
const APPLY = /^apply:(.+)$/;

/** The name of an actor: a person's e-mail, a management key's name, an operator command, or configuration files. */
export function useActorName(): (actor: string) => string {
  const t = useTranslations("audit");
  return (actor) => {
    const label = APPLY.exec(actor)?.[1];
    if (label !== undefined) {
      return t("configurationFiles", { label });
    }
    return actor === "command" ? t("command") : actor;
  };
}
