import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { answerWith, type FakeUpstream, startUpstream } from "@/tests/support/upstream";
import { checkRead, checkWire } from "./checks";
import { corpusDirectory, type Exchange, listExchanges, loadRecording } from "./corpus";
import { isRefusal, readRecording } from "./oracle";
import { cutAtRandom, cutEverywhere, randomOf, seed } from "./replay";
import { ask, type Major, type Manner } from "./sdk";
import { act, type Call, checkLedger, type Stage, setStage } from "./stage";

/** Exchanges that say nothing a chat client could read, and why. They are replayed too, and must be refused well. */
const leftOut: Record<string, string> = {
  "mistral/chat_json_mistral_transcription": "a transcription filed under chat: a text, and no choices",
};
const MOST_LEFT_OUT = 2;

/** Streams up to this size are replayed byte by byte, too. */
const SMALL_BYTES = 6_000;

type Way = Call & { major: Major; manner: Manner };

/** The ways in which an exchange is replayed through the SDKs. */
function waysOf({ recording, reading, isStream }: Stage): Way[] {
  const random = randomOf(recording.exchange.dir);
  const cut = (body: Buffer) => cutAtRandom(body, random);
  const ways: Way[] = [
    { major: 7, manner: "chunks", asksUsage: true, cut },
    { major: 6, manner: "chunks", asksUsage: false, cut },
  ];
  // Three refusals leave a channel's breaker closed.
  if (isRefusal(reading)) {
    return ways;
  }
  ways.push({ major: 6, manner: "accumulated", asksUsage: true, cut });
  if (isStream) {
    ways.push({ major: 7, manner: "accumulated", asksUsage: false, cut });
  }
  if (isStream && recording.body.length <= SMALL_BYTES) {
    ways.push({ major: 7, manner: "chunks", asksUsage: true, cut: cutEverywhere });
  }
  return ways;
}

/** The calls whose answers are looked at on the wire. */
function wireCallsOf({ recording, reading, isStream }: Stage): Call[] {
  const random = randomOf(`${recording.exchange.dir} wire`);
  const cut = (body: Buffer) => cutAtRandom(body, random);
  const isTwice = isStream && reading.kind === "answer";
  return [{ asksUsage: false, cut }, ...(isTwice ? [{ asksUsage: true, cut }] : [])];
}

function replayAll(exchanges: Exchange[]): void {
  let gateway: TestGateway;
  let upstream: FakeUpstream;
  beforeAll(async () => {
    gateway = await startGateway();
    upstream = await startUpstream(answerWith("not told yet"));
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  describe("a recorded exchange, cut anywhere, reads through the gateway as it was recorded", () => {
    test.each(exchanges.map((exchange) => ({ exchange, dir: exchange.dir })))(
      "$dir",
      async ({ exchange }) => {
        const stage = await setStage({ gateway, upstream }, exchange);
        const { secret } = stage;
        for (const way of waysOf(stage)) {
          const read = await act(stage, way, (body) => ask({ ...way, url: gateway.url, secret }, body));
          checkRead(stage, way, read);
          await checkLedger(stage);
        }
        for (const call of wireCallsOf(stage)) {
          await act(stage, call, async (body) => checkWire(stage, call, await gateway.chat(secret, body)));
          await checkLedger(stage);
        }
        expect(await gateway.balance(stage.accountId)).toMatchObject({ frozen: 0n });
      },
    );
  });

  test("an exchange that is no chat completion is named with its reason", () => {
    const foreign = exchanges.filter((exchange) => readRecording(loadRecording(exchange)).kind === "foreign");
    for (const { dir } of foreign) {
      console.log(`recorded: left out, ${dir}: ${leftOut[dir] ?? "NOT NAMED"}`);
    }
    expect(foreign.map((exchange) => exchange.dir).filter((dir) => !leftOut[dir])).toEqual([]);
    expect(foreign.length).toBeLessThanOrEqual(MOST_LEFT_OUT);
  });

  test("the ledger has no drift after all of it", async () => {
    expect(await gateway.verify()).toEqual([]);
  });
}

const recorded = listExchanges("openai.chat");
if (recorded === null) {
  const notice = `there is no corpus at ${corpusDirectory} (CORPUS_DIR): no recorded chat exchange was replayed`;
  console.log(`recorded: ${notice}`);
  test(`NOT RUN: ${notice}`, () => {
    expect(recorded).toBeNull();
  });
} else {
  console.log(`recorded: ${recorded.length} chat exchanges, RECORDED_SEED=${seed}`);
  replayAll(recorded);
}
