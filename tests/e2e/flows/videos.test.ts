import { enter } from "../pages/sign-in-page";
import { videosPage } from "../pages/videos-page";
import { passDeadline } from "../support/database";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

/** A word in brackets tells the sandbox how a task ends. */
const prompts = {
  completes: "A paper boat on a river",
  fails: "A storm over the bay [fail]",
  stalls: "A snail on a wall [stall]",
  isCancelled: "A train that never comes [stall]",
};
/** A deployment may poll an upstream only every fifteen seconds. */
const LOOK_MS = 60_000;

test("a video task is followed on screen to each of its ends: completed, failed, timed out and cancelled", {
  tag: "@smoke",
}, async ({ page, t, customer }) => {
  const timeoutMs = deployment.isOurs() ? 0 : deployment.videoTimeoutMs();
  test.setTimeout(timeoutMs + 3 * LOOK_MS);
  const { submitVideo } = callerWith(await customer.newKey("studio"));
  await enter(page, customer.owner, "/videos");
  await expect(page.getByText(t("videos.emptyTitle"))).toBeVisible();
  const { stalls, ...others } = prompts;
  for (const prompt of Object.values(others)) {
    await submitVideo(prompt);
  }
  const stalled = await submitVideo(stalls);
  await page.reload();
  const videos = videosPage(page, t);
  await expect(videos.row(prompts.isCancelled)).toContainText(t("videos.processing"));
  await expect(videos.row(prompts.isCancelled)).toContainText(t("videos.frozen"));

  await videos.open(prompts.isCancelled);
  await videos.cancel();
  await expect(videos.dialog.getByText(t("videos.cancelled"), { exact: true })).toBeVisible();
  await expect(videos.dialog).toContainText(t("videos.returned"));
  await videos.close();

  await expect(videos.row(prompts.fails)).toContainText(t("videos.failed"));
  await expect(videos.row(prompts.fails)).toContainText(t("videos.returned"));

  await expect(videos.row(prompts.completes)).toContainText(t("videos.completed"));
  await expect(videos.row(prompts.completes)).toContainText(t("videos.charged"));
  await videos.open(prompts.completes);
  const film = videos.dialog.getByLabel(t("videos.preview", { prompt: prompts.completes }));
  await expect(film).toBeVisible();
  const file = await page.request.get((await film.getAttribute("src")) ?? "");
  expect(file.ok()).toBe(true);
  expect(file.headers()["content-type"]).toBe("video/mp4");
  await videos.close();

  if (deployment.isOurs()) {
    await passDeadline(stalled);
  }
  await expect(videos.row(prompts.stalls)).toContainText(t("videos.error_timeout"), {
    timeout: timeoutMs + LOOK_MS,
  });
  await expect(videos.row(prompts.stalls)).toContainText(t("videos.returned"));
});
