import { Group, Text, TextInput } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconInfoCircle } from "@tabler/icons-react";
import { memo, useState } from "react";
import { useTranslations } from "use-intl";
import { allowsAddress, type ReviewedRule } from "@/server/access/keys/allow-list-review";
import { findAllowing } from "./rules";

const EVERYTHING = ["0.0.0.0/0", "::/0"];

/** Tests whether the rules allow an address, and which rule does. */
export const AddressTest = memo(TestField);

function TestField({ review }: { review: readonly ReviewedRule[] }) {
  const t = useTranslations("allowList");
  const [address, setAddress] = useState("");
  const answer = () => {
    if (address.trim() === "") {
      return null;
    }
    if (!allowsAddress(EVERYTHING, address)) {
      return { icon: IconInfoCircle, color: "orange", text: t("testInvalid") };
    }
    const index = findAllowing(review, address);
    const rule = review[index]?.canonical;
    return rule
      ? { icon: IconCircleCheck, color: "green", text: t("testAllowed", { number: index + 1, rule }) }
      : { icon: IconCircleX, color: "red", text: t("testRefused") };
  };
  const result = answer();
  return (
    <div>
      <TextInput
        label={t("test")}
        placeholder={t("testPlaceholder")}
        value={address}
        maxLength={100}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => setAddress(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter must not submit the surrounding form; the result already shows.
          if (event.key === "Enter") {
            event.preventDefault();
          }
        }}
      />
      <Text size="sm" component="div" role="status" mt={4} c={result?.color}>
        {result && (
          <Group gap={6} wrap="nowrap">
            <result.icon size={16} aria-hidden style={{ flex: "none" }} />
            <span className="wrap-anywhere">{result.text}</span>
          </Group>
        )}
      </Text>
    </div>
  );
}
