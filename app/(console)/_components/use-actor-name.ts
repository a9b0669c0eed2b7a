import { useTranslations } from "use-intl";

/** Who did something, in words: a person by e-mail, a management key by its name, an operator command as such. */
export function useActorName(): (actor: string) => string {
  const t = useTranslations("audit");
  return (actor) => (actor === "command" ? t("command") : actor);
}
