-- Commands recorded keys, channels and models under names of their own. From here on each member has one name,
-- whichever door a change came through: those of before are rewritten. Not `prices`: they are what was in force, with
-- what a model inherits filled in, and the console records what was entered. Twice changes nothing.
CREATE OR REPLACE FUNCTION pg_temp.one_name_each(side jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN jsonb_typeof(side) = 'object' THEN coalesce(
    (
      SELECT jsonb_object_agg(coalesce(new_name, member.key), member.value)
      FROM jsonb_each(side - ARRAY['id', 'account', 'sold']) AS member
      LEFT JOIN (
        VALUES
          ('last_four', 'lastFour'), ('allow_ips', 'allowedIps'), ('rpm', 'requestsPerMinute'),
          ('max_concurrent', 'maxConcurrent'), ('monthly_cap', 'monthlyCap'), ('expires_at', 'expiresAt'),
          ('created_at', 'createdAt'), ('base_url', 'baseUrl'), ('max_tasks', 'maxTasks'),
          ('timeout_seconds', 'timeoutSeconds'), ('idle_timeout_seconds', 'idleTimeoutSeconds'),
          ('enabled', 'isEnabled'), ('owner', 'ownedBy'), ('free', 'isFree'), ('max_output', 'maxOutputTokens'),
          ('video_prices', 'videoPrices')
      ) AS renamed (old_name, new_name) ON old_name = member.key
    ),
    '{}'
  ) ELSE side END
$$;
--> statement-breakpoint
UPDATE audit_entries
SET before = pg_temp.one_name_each(before), after = pg_temp.one_name_each(after)
WHERE actor = 'command' AND action ~ '^(key|channel|model)\.';
