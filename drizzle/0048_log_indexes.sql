-- tollgate: concurrently
CREATE INDEX CONCURRENTLY "call_attempts_call" ON "call_attempts" USING btree ("request_id");--> statement-breakpoint
-- The release before reads an account's calls of one model along the account's calls instead, or the model's.
DROP INDEX CONCURRENTLY "calls_account_model";
