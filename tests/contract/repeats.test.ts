import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { fakeChannels } from "@/tests/support/fake-channels";
import { type Answer, answerWith, refuseWith, sendJson } from "@/tests/support/upstream";

const channels = fakeChannels();
const { start, ask, silent } = channels;

describe("where no other channel can take a call", () => {
  /** Fails as often as it is told, then answers. */
  const failing = (fault: Answer, times: number): Answer => {
    let left = times;
    return (asked, response, request) => (left-- > 0 ? fault : answerWith("ok"))(asked, response, request);
  };
  const refuseAfter =
    (status: number, seconds: string): Answer =>
    (_asked, response) => {
      response.setHeader("retry-after", seconds);
      sendJson(response, status, { error: { message: "slow down" } });
    };
  const stage = async (fault: Answer, times: number) => {
    const fake = await start(failing(fault, times));
    const model = await channels.gateway.model();
    await channels.gateway.channel({ model, baseUrl: fake.baseUrl });
    return { fake, model };
  };

  test.each([429, 500, 503, 529])("a passing %i is sent again", async (status) => {
    const { fake, model } = await stage(refuseWith(status), 2);
    expect((await ask(model)).status).toBe(200);
    expect(fake.asked.length).toBe(3);
  });

  test("the wait is the one that the upstream asks for", async () => {
    const { fake, model } = await stage(refuseAfter(429, "1"), 1);
    const started = performance.now();
    expect((await ask(model)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    expect(fake.asked.length).toBe(2);
  });

  test("a longer one is the client's: the 502 says how long", async () => {
    const { fake, model } = await stage(refuseAfter(429, "20"), 9);
    const refused = await ask(model);
    expect([
      refused.status,
      refused.headers.get("retry-after"),
      refused.headers.get("x-should-retry"),
    ]).toEqual([502, "20", null]);
    expect(fake.asked.length).toBe(1);
  });

  test("what may have been bought is not sent again, neither from here nor by the SDK", async () => {
    for (const fault of [
      silent,
      ((_asked, response) => void response.writeHead(200).end("<html>")) as Answer,
    ]) {
      const { fake, model } = await stage(fault, 9);
      const refused = await ask(model);
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([502, "false"]);
      expect(fake.asked.length).toBe(1);
    }
  });

  test("a 401 is not worth a repeat, and says so", async () => {
    const refused = await channels.gateway.chat("sk-nobody", { model: "m", messages: [] });
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([401, "false"]);
  });

  test("an answer that could not be charged has been bought: it is withheld, and the SDK is told so", async () => {
    const { fake, model } = await stage(refuseWith(500), 0);
    const sql = sqlOf(channels.gateway.runtime.db);
    await sql`alter table ledger_entries add constraint refuses check (kind <> 'capture') not valid`;
    try {
      const refused = await ask(model);
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([500, "false"]);
      expect(await refused.json()).toEqual({ code: 500, message: "计费失败,请联系管理员", data: null });
    } finally {
      await sql`alter table ledger_entries drop constraint refuses`;
    }
    expect(fake.asked.length).toBe(1);
  });
});
