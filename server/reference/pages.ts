/** The pages of the documentation, in the order of their menu. */
import { both, type Language, type Texts } from "@/server/base/language";

/** In the order of the menu: for clients, for operators of the gateway, and for readers who need exact rules. */
export const groups = ["guide", "operators", "details"] as const;

export type DocPage = {
  /** In its address: `/docs/<id>`. */
  id: string;
  title: Texts;
  /**
   * Its Markdown below `docs/`, by language. A page in English only has one file for both. null: the server builds the
   * page, in English (`app/docs/content.ts`).
   */
  files: Record<Language, string> | null;
  group: (typeof groups)[number];
};

const guide = (id: string, title: Texts): DocPage => ({
  id,
  title,
  files: { zh: `guide/zh/${id}.md`, en: `guide/en/${id}.md` },
  group: "guide",
});

const operators = (id: string, title: Texts): DocPage => ({
  id,
  title,
  files: { zh: `zh/${id}.md`, en: `${id}.md` },
  group: "operators",
});

/** Pages in English only: the contract by which tests check, and what changes with every release. */
const details = (id: string, title: Texts, file = `${id}.md`): DocPage => ({
  id,
  title,
  files: { zh: file, en: file },
  group: "details",
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
  operators("first-hour", both("第一个小时", "The first hour")),
  operators("deploy", both("部署", "Deploying")),
  operators("configuration", both("配置", "Configuration")),
  operators("settings", both("请求与服务的配置", "Settings of calls and services")),
  operators("operations", both("日常运维", "Operations")),
  operators("database", both("数据库", "The database")),
  operators("secrets", both("密钥", "Secrets and keys")),
  operators("people", both("用户与登录", "People and sign-in")),
  operators("money", both("账号与资金", "Accounts and money")),
  operators("models", both("模型运营", "Models in operation")),
  operators("channels", both("渠道", "Channels")),
  operators("presets", both("预设与能力", "Presets and capabilities")),
  operators("prompt-caching", both("提示词缓存", "Prompt caching")),
  operators("prices", both("价格", "Prices")),
  operators("setting-prices", both("设置价格", "Setting prices")),
  operators("configuration-as-files", both("配置文件管理", "Configuration as files")),
  operators("admin-api", both("管理 API", "Admin API")),
  operators("monitoring", both("健康、监控与日志", "Health, metrics and logs")),
  operators("metrics", both("监控指标", "Metrics")),
  operators("runbook", both("告警处理", "Runbook")),
  operators("ledger", both("账本", "The ledger in operation")),
  operators("backup", both("备份与恢复", "Backup")),
  operators("data", both("个人数据", "Personal data")),
  operators("upgrading", both("升级", "Upgrading")),
  operators("scale", both("大流量", "Scale")),
  operators("citus", both("Citus", "Citus")),
  operators("regions", both("两个区域", "Two regions")),
  details("changelog", both("更新日志", "Changelog"), "../CHANGELOG.md"),
  details("calling", both("调用", "Calling"), "clients.md"),
  details("programs", both("实测的程序", "Tested programs")),
  details("spec", both("接口约定", "The contract")),
  details("spec-objects", both("接口约定：对象", "The contract: objects")),
  details("spec-endpoints", both("接口约定：接口", "The contract: endpoints")),
  details("spec-responses", both("接口约定：Responses", "The contract: responses")),
  details("spec-media", both("接口约定：媒体", "The contract: media")),
  details("spec-refusals", both("接口约定：错误", "The contract: refusals")),
  details("spec-dialects", both("接口约定：格式转换", "The contract: dialects")),
  {
    id: "admin-api-reference",
    title: both("管理 API 参考", "Admin API reference"),
    files: null,
    group: "details",
  },
  details("ledger-laws", both("资金保证", "The ledger's laws")),
  details("ledger-recovery", both("资金保证：恢复与限额", "The ledger's laws: recovery")),
  details("reliability", both("故障实测", "Reliability")),
  details("database-outages", both("数据库故障实测", "Database outages")),
  details("migrations", both("数据库结构与发布", "Migrations and releases")),
];

export const findPage = (id: string): DocPage | undefined => pages.find((page) => page.id === id);

/** `docs/clients.md` is the page *calling*, because the guide has a page named *clients*. */
const byFile = new Map(
  pages.flatMap(({ id, group, files }) => (group !== "guide" && files ? [[files.en, id]] : [])),
);

/** The page to which a link in a page's Markdown leads, with its anchor. null: not a page, such as a source file. */
export function pageOfLink(from: DocPage, href: string): { id: string; hash: string } | null {
  const [, path = "", hash = ""] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  if (path === "") {
    return { id: from.id, hash };
  }
  const [, name] = /^(?:\.\.\/docs\/|(?:\.\.\/)+|\.\/|docs\/)?([\w-]+)\.md$/.exec(path) ?? [];
  const id = name !== undefined && from.group !== "guide" ? (byFile.get(`${name}.md`) ?? name) : name;
  return id !== undefined && findPage(id) ? { id, hash } : null;
}
