-- tollgate: allowed, unbounded: a model is a row, and installations have at most thousands.
ALTER TABLE "models" ADD COLUMN "prices" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
UPDATE "models" SET "prices" = jsonb_strip_nulls(jsonb_build_object(
  'input', nullif("input_price", 0)::text,
  'output', nullif("output_price", 0)::text,
  'cache_read', "cache_read_price"::text,
  'cache_write', "cache_write_price"::text,
  'cache_write_1h', "cache_write_1h_price"::text
)) || "unit_prices" || coalesce((
  SELECT jsonb_object_agg('video:' || "duration_seconds" || ':' || "resolution", "price"::text)
  FROM "video_prices" WHERE "model_id" = "models"."id"
), '{}'::jsonb);
