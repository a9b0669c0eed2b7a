import { Button, List, Stack } from "@mantine/core";
import { IconPlus, IconUserPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { FOLLOW_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { optionalQuery } from "../_components/shell/stale-note";
import { useMay } from "../_components/shell/viewer";
import { Dimmed } from "../_components/tables/dimmed";
import { Step } from "./first-steps";
import { Section } from "./section";

const steps = [
  { text: "stepChannel", fact: "hasChannel" },
  { text: "stepModels", fact: "hasModel" },
  { text: "stepCustomer", fact: "hasCustomer" },
  { text: "stepPaidCall", fact: "hasCall" },
] as const;

/** The steps from an empty installation to the first paid call; hidden once all are done. */
export function OperatorSteps() {
  const t = useTranslations("overview");
  const mayAdd = useMay("channels.write");
  const { data } = useQuery(
    useTRPC().overview.operatorSteps.queryOptions(undefined, {
      ...optionalQuery,
      refetchInterval: (query) => (query.state.data?.hasCall ? false : FOLLOW_MS),
    }),
  );
  if (!data || steps.every(({ fact }) => data[fact])) {
    return null;
  }
  const isOpen = !(data.hasChannel && data.hasModel);
  return (
    <Section title={t("operatorStepsTitle")}>
      <Stack>
        <Dimmed>{t("operatorStepsText")}</Dimmed>
        <List type="ordered" spacing="xs" center aria-live="polite">
          {steps.map(({ text, fact }, index) => (
            <Step key={fact} number={index + 1} text={t(text)} isDone={data[fact]} />
          ))}
        </List>
        {mayAdd && isOpen && (
          <Button
            component={Link}
            href={addresses.newChannel()}
            leftSection={<IconPlus size={16} aria-hidden />}
            style={{ alignSelf: "flex-start" }}
          >
            {t("stepChannelAction")}
          </Button>
        )}
        {mayAdd && !isOpen && !data.hasCustomer && (
          <Button
            component={Link}
            href={addresses.accounts({ create: true })}
            leftSection={<IconUserPlus size={16} aria-hidden />}
            style={{ alignSelf: "flex-start" }}
          >
            {t("stepCustomerAction")}
          </Button>
        )}
      </Stack>
    </Section>
  );
}
