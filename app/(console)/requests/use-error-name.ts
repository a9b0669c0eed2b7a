import { useTranslations } from "use-intl";

/** An error in words; the bare identifier if there is no text. */
export function useErrorName(): (slug: string) => string {
  const t = useTranslations("requests");
  return (slug) => {
    const name = `errors.${slug}.name` as Parameters<typeof t.has>[0];
    return t.has(name) ? t(name as "errors.internal.name") : slug;
  };
}
