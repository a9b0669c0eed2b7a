import { shell } from "../pages/shell";
import { signIn } from "../pages/sign-in-page";
import { videosPage } from "../pages/videos-page";
import { deployment } from "../support/deployment";
import { expect, test } from "../support/flow";
import { callerWith } from "../support/gateway";

/** Words in brackets tell the sandbox how a task is to end. */
const prompts = {
  completes: "A paper boat on a river",
  fails: "A storm over the bay [fail]",
  stalls: "A snail on a wall [stall]",
  isCancelled: "A train that never comes [stall]",
};
/** A look at an upstream may be due only after fifteen seconds. */
const LOOK_MS = 40_000;

test("a video task is followed on screen to each of its ends: completed, failed, timed out and cancelled", async ({
  page,
  t,
  customer,
}) => {
  test.setTimeout(deployment.videoTimeoutMs() + 3 * LOOK_MS);
  const look = { timeout: LOOK_MS };
  const { submitVideo } = callerWith(await customer.newKey("studio"));
  await signIn(page, t, customer.owner);
  await shell(page, t).goTo(t("shell.videos"));
  await expect(page.getByText(t("videos.emptyTitle"))).toBeVisible();
  for (const prompt of Object.values(prompts)) {
    await submitVideo(prompt);
  }
  await page.reload();
  const videos = videosPage(page, t);
  await expect(videos.row(prompts.isCancelled)).toContainText(t("videos.processing"));
  await expect(videos.row(prompts.isCancelled)).toContainText(t("videos.frozen"));

  await videos.open(prompts.isCancelled);
  await videos.cancel();
  await expect(videos.dialog.getByText(t("videos.cancelled"), { exact: true })).toBeVisible(look);
  await expect(videos.dialog).toContainText(t("videos.returned"));
  await videos.close();

  await expect(videos.row(prompts.fails)).toContainText(t("videos.failed"), look);
  await expect(videos.row(prompts.fails)).toContainText(t("videos.returned"));

  await expect(videos.row(prompts.completes)).toContainText(t("videos.completed"), look);
  await expect(videos.row(prompts.completes)).toContainText(t("videos.charged"));
  await videos.open(prompts.completes);
  const film = videos.dialog.getByLabel(t("videos.preview", { prompt: prompts.completes }));
  await expect(film).toBeVisible();
  const file = await page.request.get((await film.getAttribute("src")) ?? "");
  expect(file.ok()).toBe(true);
  expect(file.headers()["content-type"]).toBe("video/mp4");
  await videos.close();

  await expect(videos.row(prompts.stalls)).toContainText(t("videos.error_timeout"), {
    timeout: deployment.videoTimeoutMs() + LOOK_MS,
  });
  await expect(videos.row(prompts.stalls)).toContainText(t("videos.returned"));
});
