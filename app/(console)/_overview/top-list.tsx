import { Anchor, Group, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { ShortMoney } from "../_components/text/money";
import { Section } from "./section";

type Props = {
  title: string;
  link: { href: string; text: string };
  rows: { id: string; name: string; href: string; amount: string }[];
};

/** The accounts, models or keys with the highest charges of this month, in descending order. */
export function TopList({ title, link, rows }: Props) {
  const t = useTranslations("overview");
  return (
    <Section title={title} link={link}>
      {rows.length === 0 && <Text size="sm">{t("topEmpty")}</Text>}
      {rows.length > 0 && (
        <Stack component="ol" gap="xs" m={0} p={0}>
          {rows.map(({ id, name, href, amount }) => (
            <Group key={id} component="li" justify="space-between" gap="xs" wrap="nowrap">
              <Anchor component={Link} href={href} size="sm" className="wrap-anywhere">
                {name}
              </Anchor>
              <Text size="sm">
                <ShortMoney value={amount} />
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  );
}
