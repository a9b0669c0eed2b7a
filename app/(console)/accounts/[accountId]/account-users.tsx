import { Button, Group, Stack, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../../_components/data/on-demand";
import { useTRPC } from "../../_components/data/trpc";
import { optionalQuery } from "../../_components/shell/stale-note";
import { Permitted } from "../../_components/shell/viewer";
import { Dimmed } from "../../_components/tables/dimmed";
import { UserTable } from "../../users/user-table";

const AddUser = onDemand(() => import("../../users/add-user").then((module) => module.AddUser));

export function AccountUsers({ accountId }: { accountId: string }) {
  const t = useTranslations("accounts");
  const users = useTranslations("users");
  const { data: people = [] } = useQuery(useTRPC().users.list.queryOptions({ accountId }, optionalQuery));
  const [isAdding, setAdding] = useState(false);
  return (
    <Stack component="section" gap="xs" aria-labelledby="users">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2} size="h4" id="users">
            {t("usersTitle")}
          </Title>
          <Dimmed>{people.length > 0 ? t("usersText") : t("usersEmpty")}</Dimmed>
        </div>
        <Permitted to="people.write">
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setAdding(true)}
          >
            {users("addUser")}
          </Button>
        </Permitted>
      </Group>
      {people.length > 0 && <UserTable label={t("usersTitle")} users={people} />}
      {isAdding && <AddUser accountId={accountId} onClose={() => setAdding(false)} />}
    </Stack>
  );
}
