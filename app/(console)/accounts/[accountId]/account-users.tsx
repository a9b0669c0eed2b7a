import { Button, Group, Stack, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Dimmed } from "../../_components/dimmed";
import { onDemand } from "../../_components/on-demand";
import { ForChangers } from "../../_components/viewer";
import { UserTable } from "../../users/user-table";
import type { Account } from "../account";

const AddUser = onDemand(() => import("../../users/add-user").then((module) => module.AddUser));

export function AccountUsers({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const users = useTranslations("users");
  const [isAdding, setAdding] = useState(false);
  return (
    <Stack component="section" gap="xs" aria-labelledby="users">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2} size="h4" id="users">
            {t("usersTitle")}
          </Title>
          <Dimmed>{account.users.length > 0 ? t("usersText") : t("usersEmpty")}</Dimmed>
        </div>
        <ForChangers>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            {users("addUser")}
          </Button>
        </ForChangers>
      </Group>
      {account.users.length > 0 && (
        <UserTable label={t("usersTitle")} users={account.users} hasRoles={false} />
      )}
      {isAdding && <AddUser accountId={account.id} onClose={() => setAdding(false)} />}
    </Stack>
  );
}
