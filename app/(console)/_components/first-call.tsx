import type { FirstCall as FirstCallProps } from "@/server/console";

export function FirstCall({ baseUrl, curl }: FirstCallProps) {
  return (
    <section className="card" aria-labelledby="first-call">
      <h2 id="first-call">
        调用接口 <small lang="en">Call the API</small>
      </h2>
      <p>
        <span>
          接口地址 <span lang="en">Base URL</span>
        </span>{" "}
        <code>{baseUrl}</code>
      </p>
      {curl ? (
        <>
          <p className="pair">
            <span>
              把 API Key 放进 <code>TOLLGATE_KEY</code>,然后运行:
            </span>
            <span lang="en">
              Put your API key into <code>TOLLGATE_KEY</code>, then run:
            </span>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <pre tabIndex={0}>{curl}</pre>
        </>
      ) : (
        <p>还没有启用的模型 · No model is enabled yet</p>
      )}
    </section>
  );
}
