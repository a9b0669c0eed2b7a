import { Alert, Button, Group, Radio, Select, Stack, Text, Textarea } from "@mantine/core";
import { IconInfoCircle, IconMovie } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { aspectRatios, durations, resolutions } from "@/server/domain/enums";
import { useAmount } from "../_components/text/use-amount";
import type { Model } from "../models/model";
import { CallPane } from "./call-pane";
import { CodeButton } from "./code-button";
import { ModelPicker, NoModel } from "./model-picker";
import { submitVideo } from "./submit-video";
import { useModelChoice } from "./use-model-choice";
import { VideoTask } from "./video-task";

const MAX_PROMPT_CHARACTERS = 2_000;

type Offer = Model["videoPrices"][number];

/** The priced combinations that a client can request. */
const offersOf = (model: Model): Offer[] =>
  model.videoPrices.filter(
    ({ durationSeconds, resolution }) =>
      durations.some((seconds) => seconds === durationSeconds) &&
      resolutions.some((name) => name === resolution),
  );

const nameOf = ({ durationSeconds, resolution }: Offer) => `${durationSeconds} ${resolution}`;

/** Submits a video and follows it to its end. */
export function VideoPane({ models }: { models: Model[] }) {
  const t = useTranslations("playground");
  const choice = useModelChoice(models, "video");
  const submission = useMutation({ mutationFn: submitVideo, meta: { showsFailure: true } });
  const [prompt, setPrompt] = useState("");
  const [offerName, setOfferName] = useState("");
  const [ratio, setRatio] = useState<string | null>(null);
  if (!choice.model) {
    return <NoModel />;
  }
  const model = choice.model.id;
  const offers = offersOf(choice.model);
  const offer = offers.find((candidate) => nameOf(candidate) === offerName) ?? offers[0];
  const isTooLong = [...prompt].length > MAX_PROMPT_CHARACTERS;
  const order = offer && {
    prompt,
    duration: offer.durationSeconds,
    resolution: offer.resolution,
    ...(ratio && { aspectRatio: ratio }),
  };
  return (
    <CallPane
      span={5}
      call={submission}
      onSubmit={() => order && submission.mutate({ model, ...order })}
      empty={{ icon: <IconMovie size={32} />, text: t("emptyVideo") }}
      form={
        <Stack gap="md">
          <ModelPicker {...choice} />
          <Textarea
            label={t("videoPrompt")}
            placeholder={t("videoPromptPlaceholder")}
            description={t("promptLength", { count: [...prompt].length, max: MAX_PROMPT_CHARACTERS })}
            error={isTooLong && t("promptTooLong", { max: MAX_PROMPT_CHARACTERS })}
            value={prompt}
            onChange={(event) => setPrompt(event.currentTarget.value)}
            autosize
            minRows={3}
            maxRows={10}
          />
          {offer ? (
            <Offers offers={offers} chosen={offer} onChoose={setOfferName} />
          ) : (
            <Alert color="orange" icon={<IconInfoCircle aria-hidden />}>
              {t("noOffer")}
            </Alert>
          )}
          <Select
            label={t("aspectRatio")}
            placeholder={t("asModel")}
            data={aspectRatios}
            value={ratio}
            onChange={setRatio}
            clearable
          />
          {offer && <Price offer={offer} />}
          <Group gap="xs">
            <Button
              type="submit"
              loading={submission.isPending}
              disabled={!offer || prompt.trim() === "" || isTooLong}
            >
              {t("submitVideo")}
            </Button>
            {order && <CodeButton model={model} call={{ kind: "video", ...order }} />}
          </Group>
        </Stack>
      }
    >
      {submission.data && <VideoTask key={submission.data} taskId={submission.data} />}
    </CallPane>
  );
}

type OffersProps = { offers: Offer[]; chosen: Offer; onChoose: (name: string) => void };

function Offers({ offers, chosen, onChoose }: OffersProps) {
  const t = useTranslations("playground");
  const amount = useAmount();
  return (
    <Radio.Group label={t("offer")} value={nameOf(chosen)} onChange={onChoose}>
      <Stack gap="xs" mt={6}>
        {offers.map((offer) => (
          <Radio
            key={nameOf(offer)}
            value={nameOf(offer)}
            label={t("offerLabel", {
              seconds: offer.durationSeconds,
              resolution: offer.resolution,
              amount: amount(offer.price),
            })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function Price({ offer }: { offer: Offer }) {
  const t = useTranslations("playground");
  return (
    <Text size="sm" aria-live="polite">
      {t("freezes", { amount: useAmount()(offer.price) })}
    </Text>
  );
}
