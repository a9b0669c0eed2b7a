import { Code, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { CallDetail } from "./call";

const names = ["type", "code", "param"] as const;

/** The names that a vendor gave its error, in full. */
export function VendorErrorNames({ error }: { error: NonNullable<CallDetail["vendorError"]> }) {
  const t = useTranslations("requests");
  return (
    <Text size="sm" className="wrap-anywhere">
      {t("vendorError")}{" "}
      {names.map(
        (name) =>
          error[name] !== undefined && (
            <span key={name}>
              {name} <Code>{error[name]}</Code>{" "}
            </span>
          ),
      )}
    </Text>
  );
}
