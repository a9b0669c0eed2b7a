import { Radio, Stack } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { Role } from "@/server/domain/enums";
import { rolesOf, sideOf } from "@/server/domain/roles";

type Props = { value: Role; onChange: (role: Role) => void };

/** Chooses a user's role among those of their side, and explains each. */
export function RoleField({ value, onChange }: Props) {
  const t = useTranslations("users");
  const offered = rolesOf(sideOf(value));
  const choose = (chosen: string) => {
    const role = offered.find((candidate) => candidate === chosen);
    if (role) {
      onChange(role);
    }
  };
  return (
    <Radio.Group label={t("role")} value={value} onChange={choose}>
      <Stack gap="sm" mt="xs">
        {offered.map((role) => (
          <Radio key={role} value={role} label={t(`role_${role}`)} description={t(`hint_${role}`)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
