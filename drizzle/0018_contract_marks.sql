ALTER TABLE "drizzle"."__drizzle_migrations" ADD COLUMN "serves" integer;
