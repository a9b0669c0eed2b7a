-- tollgate: concurrently
CREATE INDEX CONCURRENTLY "accounts_price_group" ON "accounts" USING btree ("price_group_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_deliveries_user" ON "webhook_deliveries" USING btree ("user_id");