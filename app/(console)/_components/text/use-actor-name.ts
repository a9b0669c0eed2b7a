import { useTranslations } from "use-intl";

/** The name of an actor: a person's e-mail, a management key's name, or "command" for an operator command. */
export function useActorName(): (actor: string) => string {
  const t = useTranslations("audit");
  return (actor) => (actor === "command" ? t("command") : actor);
}
