-- tollgate: concurrently
CREATE INDEX CONCURRENTLY "account_months_outage" ON "account_months" USING btree ("period","account_id") WHERE outage > 0;