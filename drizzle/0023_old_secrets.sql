-- tollgate: concurrently
CREATE UNIQUE INDEX CONCURRENTLY "api_keys_old_hash" ON "api_keys" USING btree ("old_hash");