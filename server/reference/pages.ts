/** The pages of the documentation, in the order of their menu. */
import { both, type Language, type Texts } from "@/server/base/language";

export type DocPage = {
  /** In its address: `/docs/<id>`. */
  id: string;
  title: Texts;
  /**
   * Its Markdown below `docs/`, by language. A page in English only has one file for both. null: the server builds the
   * page, in English (`app/docs/content.ts`).
   */
  files: Record<Language, string> | null;
  group: "guide" | "operators";
};

const guide = (id: string, title: Texts): DocPage => ({
  id,
  title,
  files: { zh: `guide/zh/${id}.md`, en: `guide/en/${id}.md` },
  group: "guide",
});

const inEnglish = (id: string, title: Texts, file = `${id}.md`): DocPage => ({
  id,
  title,
  files: { zh: file, en: file },
  group: "operators",
});

/** Pages that an operator needs first, and at night. */
const inBoth = (id: string, title: Texts): DocPage => ({
  ...inEnglish(id, title),
  files: { zh: `zh/${id}.md`, en: `${id}.md` },
});

export const isInEnglishOnly = ({ files }: DocPage): boolean => files?.zh === files?.en;

export const pages: readonly DocPage[] = [
  guide("quick-start", both("快速开始", "Quick start")),
  guide("authentication", both("身份验证", "Authentication")),
  guide("endpoints", both("接口", "Endpoints")),
  guide("streaming", both("流式输出", "Streaming")),
  guide("reasoning", both("思考模型", "Reasoning")),
  guide("tools", both("工具调用", "Tools")),
  guide("video", both("视频", "Video")),
  guide("errors", both("错误处理", "Errors")),
  guide("limits", both("限制", "Limits")),
  guide("costs", both("费用", "Costs")),
  guide("webhooks", both("Webhook", "Webhooks")),
  guide("clients", both("客户端", "Clients")),
  guide("operating", both("运维", "Operating")),
  inEnglish("calling", both("调用与实测的程序", "Calling, and tested programs"), "clients.md"),
  inEnglish("spec", both("接口约定", "The contract")),
  inEnglish("configuration", both("配置", "Configuration")),
  inEnglish("deploy", both("部署", "Deploying")),
  inEnglish("operations", both("日常运维", "Operations")),
  inEnglish("metrics", both("监控指标", "Metrics")),
  inBoth("runbook", both("告警处理", "Runbook")),
  inEnglish("reliability", both("故障实测", "Reliability")),
  inEnglish("channels", both("渠道", "Channels")),
  inEnglish("prices", both("价格", "Prices")),
  inEnglish("admin-api", both("管理 API", "Admin API")),
  {
    id: "admin-api-reference",
    title: both("管理 API 参考", "Admin API reference"),
    files: null,
    group: "operators",
  },
  inBoth("backup", both("备份与恢复", "Backup")),
  inEnglish("data", both("个人数据", "Personal data")),
  inEnglish("upgrading", both("升级", "Upgrading")),
  inEnglish("scale", both("大流量", "Scale")),
  inEnglish("ledger-laws", both("资金保证", "The ledger's laws")),
];

export const findPage = (id: string): DocPage | undefined => pages.find((page) => page.id === id);

/** `docs/clients.md` is the page *calling*, because the guide has a page named *clients*. */
const byFile = new Map(
  pages.flatMap(({ id, group, files }) => (group === "operators" && files ? [[files.en, id]] : [])),
);

/** The page to which a link in a page's Markdown leads, with its anchor. null: not a page, such as a source file. */
export function pageOfLink(from: DocPage, href: string): { id: string; hash: string } | null {
  const [, path = "", hash = ""] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  if (path === "") {
    return { id: from.id, hash };
  }
  const [, name] = /^(?:\.\.\/docs\/|\.\.\/|\.\/|docs\/)?([\w-]+)\.md$/.exec(path) ?? [];
  const id = name !== undefined && from.group === "operators" ? (byFile.get(`${name}.md`) ?? name) : name;
  return id !== undefined && findPage(id) ? { id, hash } : null;
}
