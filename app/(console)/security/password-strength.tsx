import { Progress, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";

/** As the server has it. */
export const MIN_CHARACTERS = 10;
const GOOD_CHARACTERS = 14;
const STRONG_CHARACTERS = 20;

const levels = [
  { from: STRONG_CHARACTERS, text: "strengthStrong", color: "green" },
  { from: GOOD_CHARACTERS, text: "strengthGood", color: "teal" },
  { from: MIN_CHARACTERS, text: "strengthFair", color: "orange" },
] as const;

/** A hint by length, which is what counts; what a password is made of says little. */
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
