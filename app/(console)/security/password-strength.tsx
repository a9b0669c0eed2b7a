import { Progress, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";

/** The server's minimum. */
export const MIN_CHARACTERS = 10;
const GOOD_CHARACTERS = 14;
const STRONG_CHARACTERS = 20;

const levels = [
  { from: STRONG_CHARACTERS, text: "strengthStrong", color: "green" },
  { from: GOOD_CHARACTERS, text: "strengthGood", color: "teal" },
  { from: MIN_CHARACTERS, text: "strengthFair", color: "orange" },
] as const;

/** Rates a password by its length, which matters; its kinds of characters say little. */
export function PasswordStrength({ password }: { password: string }) {
  const t = useTranslations("security");
  const { length } = password;
  const level = levels.find(({ from }) => length >= from);
  return (
    <Stack gap={4} aria-live="polite">
      <Progress
        value={Math.min(100, (length / STRONG_CHARACTERS) * 100)}
        color={level?.color ?? "red"}
        size="sm"
        aria-hidden
      />
      <Text size="sm">{t(level?.text ?? "strengthShort", { length, min: MIN_CHARACTERS })}</Text>
    </Stack>
  );
}
