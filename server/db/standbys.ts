/** Whether a commit waits for another server: without one, a failover can lose what was committed last. */
import type { Database } from "./client";
import { sqlOf } from "./handles";

/** A server that follows the database. `sync`: as in `pg_stat_replication`; null: this role may not see it. */
type Follower = { name: string; sync: string | null };

/**
 * `synchronous`: no commit of money is confirmed before a standby has it. `asynchronous`: standbys follow later.
 * `none`: there is no standby to fail over to.
 */
export type StandbyState = "none" | "synchronous" | "asynchronous";

export type Standbys = { state: StandbyState; followers: Follower[]; names: string };

type StandbyFacts = { names: string; commit: string; followers: Follower[] };

/** The values with which a commit waits for a standby's disk, its memory, or its replay. */
const WAITING = ["on", "remote_write", "remote_apply"];

/** Pure. An asynchronous follower is no fault if another one is synchronous. */
export function judgeStandbys({ names, commit, followers }: StandbyFacts): Standbys {
  const isWaited = names.trim() !== "" && WAITING.includes(commit);
  const otherwise = followers.length > 0 ? "asynchronous" : "none";
  return { state: isWaited ? "synchronous" : otherwise, followers, names };
}

/**
 * Asks over a connection that charges use, because a pooler or a role may have its own settings. A follower that
 * replays nothing (`pg_receivewal`, a base backup) or other things (a logical slot) is no standby. A role without
 * `pg_read_all_stats` sees the names of followers, and nothing else about them. Throws the driver's error.
 */
export async function findStandbys(db: Database): Promise<Standbys> {
  const [row] = await sqlOf(db)<StandbyFacts[]>`
    select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit,
      coalesce((
        select json_agg(json_build_object('name', f.application_name, 'sync', f.sync_state) order by f.pid)
        from pg_stat_replication f
        where (f.replay_lsn is not null or f.sync_state is null)
          and f.application_name not in ('pg_basebackup', 'pg_receivewal')
          and not exists (
            select from pg_replication_slots s
            where s.active_pid = f.pid and (s.slot_type = 'logical' or s.temporary)
          )
      ), '[]') as followers`;
  return judgeStandbys(row ?? { names: "", commit: "", followers: [] });
}

const sayFollower = ({ name, sync }: Follower) => `${name} (${sync ?? "grant pg_read_all_stats to see how"})`;

/** In words, for people who operate the database. */
export function sayStandbys({ state, followers, names }: Standbys): string {
  const list = followers.length === 0 ? "no standby is connected" : followers.map(sayFollower).join(", ");
  if (state === "none") {
    return "no standby follows the database";
  }
  return state === "synchronous"
    ? `a commit waits for a standby of ${names}: ${list}`
    : `no commit waits for a standby, so a failover can lose confirmed charges: ${list}`;
}
